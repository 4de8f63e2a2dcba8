#include "kubernetes/adapter/job_pods.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace lips::kubernetes {
namespace {

constexpr std::uint32_t most_pods = 1'000'000'000;
const PodsByName no_pods;

// The number of tasks in a stage, as the owners of its pods declare it.
struct Declared {
  std::int64_t tasks = 0;                  // by annotation
  std::map<std::string, std::int64_t> by;  // completions of Jobs, by uid
  std::uint32_t count() const {
    std::int64_t sum = tasks;
    if (tasks == 0)
      for (const auto& [uid, completions] : by) sum += completions;
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(sum, 0, most_pods));
  }
};

// Notes an application's pods as peers, pod by pod. The PodGroups of one application start together.
void note_peer(const PodRecord& pod, KnownJob& job, std::set<std::string>& groups) {
  if (pod.work.gang > 0 && groups.insert(pod.work.group).second)
    job.gang = std::min(most_pods, job.gang + static_cast<std::uint32_t>(pod.work.gang));
  job.peers = true;
  job.drivers += pod.work.driver;
  job.lacks_driver |= pod.work.needs_driver;
  job.arrived = std::max(job.arrived, pod.first_seen);
  if (!job.worker || job.worker->work.driver) job.worker = &pod;
  if (pod.work.pods) job.expected = std::max(job.expected, static_cast<std::uint32_t>(*pod.work.pods));
}

}  // namespace

bool ComesBefore::operator()(const PodRecord* a, const PodRecord* b) const {
  return std::tie(a->meta.name_space, a->meta.name, a->meta.uid) <
         std::tie(b->meta.name_space, b->meta.name, b->meta.uid);
}

std::string shared_job_key(const std::string& name_space, const std::string& job) {
  return std::string(shared_job) + name_space + '/' + job;
}

std::string creator_of(const PodRecord& pod) {
  if (pod.work.driver) return pod.meta.uid;
  return pod.owner ? pod.owner->uid : "";
}

std::string job_key(const PodRecord& pod) {
  if (!pod.work.job.empty()) return shared_job_key(pod.meta.name_space, pod.work.job);
  return pod.owner ? std::string(owned_job) + pod.owner->uid : "pod/" + pod.meta.uid;
}

bool JobPods::update(const PodRecord& pod) {
  Place place{job_key(pod), creator_of(pod)};
  if (const auto known = place_of_.find(&pod); known != place_of_.end() && known->second != place) forget(pod);
  Entry& entry = jobs_[place.key];
  entry.shuffles |= pod.work.stage == TaskKind::reduce || (pod.work.shuffle && !pod.work.peers);
  if (entry.pods.empty()) entry.first_seen = pod.first_seen;
  if (!entry.pods.insert(&pod).second) return false;
  if (!place.creator.empty()) created_[place.creator].insert(&pod);
  place_of_[&pod] = std::move(place);
  return true;
}

void JobPods::forget(const PodRecord& pod) {
  const auto known = place_of_.extract(&pod);
  if (known.empty()) return;
  const Place& place = known.mapped();
  const auto job = jobs_.find(place.key);
  job->second.pods.erase(&pod);
  if (job->second.pods.empty()) jobs_.erase(job);
  const auto created = created_.find(place.creator);
  if (created == created_.end()) return;
  created->second.erase(&pod);
  if (created->second.empty()) created_.erase(created);
}

const PodsByName& JobPods::of(const std::string& key) const {
  const auto job = jobs_.find(key);
  return job == jobs_.end() ? no_pods : job->second.pods;
}

TimePoint JobPods::first_seen(const std::string& key) const {
  const auto job = jobs_.find(key);
  return job == jobs_.end() ? TimePoint{} : job->second.first_seen;
}

std::vector<AwaitedApplication> JobPods::awaited() const {
  std::vector<AwaitedApplication> result;
  for (const auto& [key, job] : jobs_) {
    AwaitedApplication application{key, "", 0, 0, {}};
    bool runs = false;
    for (const PodRecord* pod : job.pods) {
      if (!pod->work.peers) break;
      if (pod->state == PodState::terminated) continue;
      application.name_space = pod->meta.name_space;
      application.since = std::max({application.since, pod->first_seen, pod->started.value_or(TimePoint{})});
      runs |= pod->work.driver && pod->state == PodState::placed && pod->started;
      application.here += !pod->work.driver;
      const std::int64_t announced =
          std::max<std::int64_t>(pod->work.tasks.value_or(0), pod->work.pods.value_or(1) - 1);
      application.announced = std::max(application.announced, static_cast<std::uint32_t>(announced));
    }
    if (runs) result.push_back(std::move(application));
  }
  return result;
}

const PodsByName& JobPods::created_by(const std::string& uid) const {
  const auto created = created_.find(uid);
  return created == created_.end() ? no_pods : created->second;
}

bool JobPods::shuffles(const std::string& key) const {
  const auto job = jobs_.find(key);
  return job != jobs_.end() && job->second.shuffles;
}

bool JobPods::is_complete(const std::string& key, const Ended& ended) const {
  const PodsByName& pods = of(key);
  return !pods.empty() && std::all_of(pods.begin(), pods.end(), [&](const PodRecord* pod) {
    const std::string creator = creator_of(*pod);
    return !creator.empty() && ended(creator);
  });
}

KnownJob JobPods::known(const std::string& key, const Surroundings& around) const {
  KnownJob result;
  EnumArray<TaskKind, Declared> declared;
  EnumArray<TaskKind, std::uint32_t> there;
  MapsByZone finished_here;
  std::uint32_t nowhere = 0;  // finished maps whose node is gone
  std::set<std::string> groups;
  if (const auto job = jobs_.find(key); job != jobs_.end())
    for (const PodRecord* pod : job->second.pods) {
      if (pod->state == PodState::terminated && !pod->succeeded) continue;  // another one takes its place
      const TaskKind stage = pod->work.stage;
      ++there[stage];
      if (pod->work.peers) note_peer(*pod, result, groups);
      if (pod->work.tasks)
        declared[stage].tasks = std::max<std::int64_t>(declared[stage].tasks, *pod->work.tasks);
      else if (pod->owner)
        if (const auto owner = around.jobs.find(pod->owner->uid); owner != around.jobs.end())
          declared[stage].by[pod->owner->uid] = owner->second.spec.completions.value_or(0);
      if (stage != TaskKind::map) continue;
      if (pod->state != PodState::terminated) {
        ++result.open_maps;
        result.untold_maps += !pod->task.valid();
        continue;
      }
      ++result.finished_maps;
      const std::string zone = around.zone_of(pod->node);
      ++(zone.empty() ? nowhere : finished_here[zone]);
    }
  // Merges existing pods with those in the stored memory: neither list has to be complete. The memory may have the
  // zones of those whose node is gone.
  result.maps_in = finished_here;
  std::uint32_t gone = 0;
  for (const auto& [zone, maps] : around.remembered) {
    const std::uint32_t here = finished_here.contains(zone) ? finished_here[zone] : 0;
    if (maps <= here) continue;
    gone += maps - here;
    result.maps_in[zone] = maps;
  }
  gone -= std::min(gone, nowhere);
  result.finished_maps += gone;
  result.maps_here = there[TaskKind::map];
  result.here = there[TaskKind::map] + there[TaskKind::reduce] + gone;
  result.maps = std::max(declared[TaskKind::map].count(), there[TaskKind::map] + gone);
  // lips.dev/tasks counts workers, on the driver too.
  if (const std::int64_t workers = declared[TaskKind::map].tasks; result.peers && workers > 0)
    result.expected = std::max(result.expected, static_cast<std::uint32_t>(workers) + result.drivers);
  result.lacks_driver = result.lacks_driver && result.drivers == 0;
  result.expected = std::max(result.expected, result.gang);
  if (result.peers) result.maps = std::max(result.maps, result.expected);
  result.reduces = std::max(declared[TaskKind::reduce].count(), there[TaskKind::reduce]);
  if (result.complete = around.ended && is_complete(key, around.ended); result.complete)
    result.expected = 0, result.lacks_driver = false;
  return result;
}

}  // namespace lips::kubernetes
