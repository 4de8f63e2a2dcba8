#include "kubernetes/adapter/known_jobs.h"

#include <optional>
#include <set>
#include <utility>

namespace lips::kubernetes {

void KnownJobs::update(BatchJob job) {
  const std::string uid = job.meta.uid;
  jobs_[uid] = std::move(job);
}

void KnownJobs::forget_job(const std::string& uid) {
  jobs_.erase(uid);
  move_memory(uid);
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
  KnownJob known = pods_.known(key, {jobs_, zone_of, memories_.maps_of(key)});
  if (pods_.shuffles(key)) memories_.maps_ended(key, known.maps_in);
  return known;
}

JobMemory KnownJobs::memory_of(const std::string& key, const ModelIndex& index) const {
  const StoredMemory stored = memories_.of(key);
  JobMemory memory = stored.memory;
  memory.home = index.zone(stored.home);
  return memory;
}

}  // namespace lips::kubernetes
