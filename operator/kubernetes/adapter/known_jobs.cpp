#include "kubernetes/adapter/known_jobs.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace lips::kubernetes {

void KnownJobs::update(BatchJob job) {
  const std::string uid = job.meta.uid;
  const bool makes_pods = job.makes_pods();
  declared_maps_.update(job);
  jobs_[uid] = std::move(job);
  if (!makes_pods) review_created_by(uid);
}

// Most that a cluster keeps have ended.
void KnownJobs::update(Workflow workflow) {
  if (!workflow.goes_on()) return forget_workflow(workflow.meta.uid);
  workflows_changed_ = true;
  const std::string uid = workflow.meta.uid;
  workflows_[uid] = std::move(workflow);
}

bool KnownJobs::is_there(const std::string& key) const {
  return !pods_.of(key).empty() || (key.starts_with(owned_job) && jobs_.contains(key.substr(owned_job.size())));
}

void KnownJobs::forget_job(const std::string& uid) {
  declared_maps_.forget(uid);
  jobs_.erase(uid);
  creator_ended(uid);
  move_memory(uid);
}

void KnownJobs::update(const PodRecord& pod) {
  if (pods_.update(pod)) note_map(pod);
}

void KnownJobs::note_map(const PodRecord& pod) {
  if (pod.work.stage != TaskKind::map) return;
  if (std::string key = job_key(pod); pods_.shuffles(key)) maps_changed_.insert(std::move(key));
}

void KnownJobs::forget(const PodRecord& pod) {
  note_map(pod);
  pods_.forget(pod);
  if (const std::string key = job_key(pod); pods_.of(key).empty()) grants_.forget(pod.meta.name_space, key);
  if (const std::string creator = creator_of(pod); pods_.created_by(creator).empty()) ended_.erase(creator);
}

void KnownJobs::creator_ended(const std::string& uid) {
  if (pods_.created_by(uid).empty()) return;
  ended_.insert(uid);
  review_created_by(uid);
}

void KnownJobs::review_created_by(const std::string& uid) {
  for (const PodRecord* pod : pods_.created_by(uid))
    if (pod->work.peers) to_review_.insert(job_key(*pod));
}

bool KnownJobs::has_ended(const std::string& creator) const {
  const auto job = jobs_.find(creator);
  return job != jobs_.end() ? !job->second.makes_pods() : ended_.contains(creator);
}

std::set<std::string> KnownJobs::take_complete() {
  std::set<std::string> keys = std::exchange(to_review_, {});
  std::erase_if(keys, [this](const std::string& key) {
    return !pods_.is_complete(key, [this](const std::string& uid) { return has_ended(uid); });
  });
  for (const std::string& key : keys) grants_.forget((*pods_.of(key).begin())->meta.name_space, key);
  keys.merge(std::exchange(refused_, {}));
  return keys;
}

void KnownJobs::move_memory(const std::string& uid) {
  if (const std::optional<std::string> key = memories_.gone(uid))
    for (const PodRecord* other : pods_.of(*key)) keep_memory_of(*other);
}

void KnownJobs::keep_memory_of(const PodRecord& pod) {
  const MemoryPlace place = memory_place(pod);
  const std::string key = job_key(pod);
  if (!place.is_job || jobs_.contains(place.meta.uid)) memories_.keep_at(key, place);
  memories_.keep_at(key, {false, pod.meta});  // if the other place cannot hold it, or it was written here before
}

void KnownJobs::keep_memories_of(const std::vector<PodRecord*>& pods) {
  std::set<std::string> keys;
  for (const PodRecord* pod : pods) keys.insert(job_key(*pod));
  for (const std::string& key : keys)  // anything may carry a memory, even the Job of a finished map
    for (const PodRecord* pod : pods_.of(key)) {
      keep_memory_of(*pod);
      if (!memories_.something_found()) break;  // the first is enough
    }
}

// Reduces that arrive after a restart read it there.
void KnownJobs::note_end_of_map(const PodRecord& pod) {
  const std::string key = job_key(pod);
  if (!pod.succeeded || pod.work.stage != TaskKind::map || !pods_.shuffles(key)) return;
  if (const std::string zone = zone_of_node(pod.node); !zone.empty()) memories_.map_ended(key, zone);
}

std::string KnownJobs::zone_of_node(const std::string& node) const {
  const NodeRecord* record = nodes_.find(node);
  return record && record->node ? place_of(*record->node).zone : "";
}

KnownJob KnownJobs::known(const std::string& key) {
  const auto zone_of = [this](const std::string& node) { return zone_of_node(node); };
  const auto ended = [this](const std::string& uid) { return has_ended(uid); };
  KnownJob known = pods_.known(key, {jobs_, zone_of, memories_.maps_of(key), ended});
  if (pods_.shuffles(key)) memories_.maps_ended(key, known.maps_in);
  // Those that are there, and room for one beside each driver, without which none would make progress. All members of a
  // PodGroup start together, or none.
  if (known.worker && known.gang == 0 && awaited_.in_vain(known.worker->meta.name_space))
    known.expected = std::min(known.expected, static_cast<std::uint32_t>(pods_.of(key).size() + 1));
  return known;
}

std::uint32_t KnownJobs::missing_maps(const std::string& key) {
  if (!pods_.shuffles(key)) return 0;
  const KnownJob job = known(key);
  return std::max(declared_maps_.of(key), job.maps_here) - job.maps_here + job.untold_maps;
}

std::set<std::string> KnownJobs::take_maps_changed() {
  std::set<std::string> keys = declared_maps_.take_changed();
  keys.merge(std::exchange(maps_changed_, {}));
  return keys;
}

bool KnownJobs::awaits_maps(const std::string& key) {
  const KnownJob job = known(key);
  return job.open_maps > 0 || job.maps_here < declared_maps_.of(key);
}

void KnownJobs::review_awaited(TimePoint now) {
  if (!awaited_review_.due(now)) return;
  const std::vector<AwaitedApplication> applications = pods_.awaited();
  awaited_.review(applications, now);
  for (const AwaitedApplication& application : applications)
    if (awaited_.is_over(application.key)) grants_.forget(application.name_space, application.key);
  for (std::string& application : grants_.take_refused()) refused_.insert(std::move(application));
  for (std::string& application : awaited_.take_mistrusted()) refused_.insert(std::move(application));
}

bool KnownJobs::has_waiting_reader(const std::string& uid) const {
  const PodsByName& pods = pods_.created_by(uid);
  return std::any_of(pods.begin(), pods.end(), [](const PodRecord* pod) {
    return !pod->work.data_set.empty() && (pod->state == PodState::waiting || pod->state == PodState::held);
  });
}

bool KnownJobs::has_released(const std::string& uid) const {
  const PodsByName& pods = pods_.created_by(uid);
  return std::any_of(pods.begin(), pods.end(), [](const PodRecord* pod) {
    return pod->state != PodState::held || pod->unschedulable_reason != UnschedulableReason::scheduling_gated;
  });
}

JobMemory KnownJobs::memory_of(const std::string& key, const ModelIndex& index) const {
  const StoredMemory stored = memories_.of(key);
  JobMemory memory = stored.memory;
  memory.home = index.zone(stored.home);
  return memory;
}

}  // namespace lips::kubernetes
