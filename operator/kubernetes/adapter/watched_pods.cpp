#include "kubernetes/adapter/watched_pods.h"

#include <utility>

#include "kubernetes/pods/zone_gate.h"

namespace lips::kubernetes {
namespace {

constexpr const char *watched_scheduler = "watched", *other_scheduler = "other";  // in this cache
constexpr Duration learn_every{10'000'000};
constexpr Duration never_evicted = std::chrono::hours(24 * 365);  // longer than it runs
constexpr std::size_t most_gone = 100'000;                        // between two looks

bool declares_work(const PodAnnotations& work) {
  return work.in_application || !work.job.empty() || !work.data_set.empty() || work.cpu || work.cpu_per_mebibyte ||
         work.run_time || work.tasks;
}

}  // namespace

WatchedPods::WatchedPods(Rules rules, const ClaimLookup& claims, const PodGroups& groups,
                         const std::map<std::string, BatchJob>& jobs)
    : rules_(std::move(rules)), jobs_(jobs), pods_(watched_scheduler, claims, groups, nodes_, rules_.frameworks) {}

// Batch work of another scheduler: the pods of a Job or of an application, or those that say what they need.
bool WatchedPods::is_watched(const Pod& pod) const {
  if (pod.scheduler == rules_.scheduler || is_gated(pod) || was_steered(pod)) return false;
  if (pod.owner && pod.owner->has_one_on_each_node()) return false;
  if ((pod.owner && pod.owner->is_batch_job()) || !pod.group.empty()) return true;
  const Result<PodAnnotations> work = read_pod_annotations(pod, rules_.frameworks);
  return work && declares_work(*work);
}

void WatchedPods::update(const Pod& pod, TimePoint now) {
  Pod seen = pod;
  const PodRecord* known = pods_.find(pod.meta);
  const bool watched = known || is_watched(pod);
  seen.scheduler = watched ? watched_scheduler : other_scheduler;
  if (!watched) {  // whoever bound it, here it takes its room
    std::erase(seen.gates, zone_gate);
    std::erase_if(seen.annotations, [](const auto& entry) { return entry.first == annotation::steered; });
  } else if (!known || (known->state == PodState::held && !pod.node.empty())) {
    // Its hindrance, such as a gate, is gone when it is bound: judged anew.
    if (const auto record = pods_.forget(pod.meta, now)) job_pods_.forget(*record);
  }
  const PodCache::Update update = pods_.update(seen, now);
  if (update.record) job_pods_.update(*update.record);
}

void WatchedPods::forget(const ObjectMeta& meta, TimePoint now) {
  std::unique_ptr<PodRecord> record = pods_.forget(meta, now);
  if (record) job_pods_.forget(*record);
  const auto watched = watched_.find(meta.uid);
  const bool shown = watched != watched_.end();
  const bool over = shown && watched->second.over;
  if (!record || over || interrupted_ || gone_.size() >= most_gone) {
    if (shown) watched_.erase(watched);
    return;
  }
  if (!record->finished) record->finished = now, record->deleting = true;
  record->state = PodState::terminated;
  gone_.push_back(std::move(record));
}

void WatchedPods::interrupt() {
  interrupted_ = true;
  nodes_.take_changed();
  gone_.clear();
}

void WatchedPods::resume() {
  if (!std::exchange(interrupted_, false)) return;
  anew_ = true;
  watched_.clear();
  for (const auto& [name, pod] : pods_.ours()) watched_[pod->meta.uid].found = !pod->node.empty();
}

// Says whether it is, or was, something to place.
bool WatchedPods::is_of_interest(const PodRecord& pod) {
  const bool ran = !pod.node.empty();
  Watched& watched = watched_[pod.meta.uid];
  if (pod.state == PodState::terminated && (!ran || (watched.found && watched.look == 0))) watched.over = true;
  return !watched.over && pod.pod_class.valid() && (ran || pod.state == PodState::waiting);
}

// Evicted, deleted, or gone with its node while it ran: its Job makes another pod for the same task. A pod that fails
// by itself has done work that every scheduler would have had to pay for.
bool WatchedPods::is_disrupted(const PodRecord& pod) const {
  if (pod.succeeded || pod.node.empty() || !pod.owner || !pod.owner->is_batch_job()) return false;
  const NodeRecord* node = nodes_.find(pod.node);
  if (!pod.deleting && node && node->node) return false;
  const auto job = jobs_.find(pod.owner->uid);
  return job != jobs_.end() && !job->second.deleting && !job->second.ended;
}

void WatchedPods::hand_on(const PodRecord& pod) {
  const auto watched = watched_.find(pod.meta.uid);
  if (watched == watched_.end() || watched->second.look == 0 || !is_disrupted(pod)) return;
  if (std::exchange(watched->second.handed_on, true)) return;
  Watched task;
  task.look = watched->second.look, task.arrival = watched->second.arrival, task.expected = watched->second.expected;
  vacancies_[{pod.owner->uid, pod.index}].push_back(task);
}

void WatchedPods::take_over(const PodRecord& pod) {
  if (vacancies_.empty() || !pod.owner || watched_[pod.meta.uid].look > 0) return;
  const auto vacancy = vacancies_.find({pod.owner->uid, pod.index});
  if (vacancy == vacancies_.end()) return;
  watched_[pod.meta.uid] = vacancy->second.back();
  vacancy->second.pop_back();
  if (vacancy->second.empty()) vacancies_.erase(vacancy);
}

std::map<std::uint64_t, std::vector<PodRecord*>> WatchedPods::take_records() {
  ++looks_;
  std::erase_if(vacancies_, [this](const auto& vacancy) { return !jobs_.contains(vacancy.first.job); });
  std::map<std::uint64_t, std::vector<PodRecord*>> records;
  const auto take = [&](PodRecord& record) {
    if (!is_of_interest(record)) return;
    take_over(record);
    hand_on(record);
    const std::uint64_t look = watched_[record.meta.uid].look;
    records[look > 0 ? look : looks_].push_back(&record);
  };
  // First those in whose places others may be.
  for (const std::unique_ptr<PodRecord>& record : gone_)
    if (!record->node.empty()) take(*record);
  for (const bool leaves : {true, false})
    for (const auto& [name, record] : pods_.ours())
      if (is_disrupted(*record) == leaves) take(*record);
  return records;
}

std::vector<GroupedJob> WatchedPods::jobs_of(const std::vector<PodRecord*>& records, ModelIndex& index,
                                             const Surroundings& around, std::vector<ClusterEvent>& events) {
  const auto zone_of = [this](const std::string& name) {
    const NodeRecord* node = nodes_.find(name);
    return node && node->node ? place_of(*node->node).zone : std::string();
  };
  const MapsByZone nothing_remembered;
  const auto known = [&](const std::string& key) { return job_pods_.known(key, {jobs_, zone_of, nothing_remembered}); };
  const JobContext context{index, pods_.classes(),         pods_.run_times(), jobs_,        around.pool_of,
                           known, rules_.default_run_time, around.may_read,   Mebibytes(0), around.data_under};
  std::vector<Rejection> rejected;
  return group_into_jobs(records, context, events, rejected);
}

// Its pods may have lost the first of them since, and run times may have been learned.
void WatchedPods::remember(GroupedJob& job, TimePoint now) {
  const Watched& one = watched_[job.pods.front()->meta.uid];
  if (one.look > 0) job.job.arrival = one.arrival;
  for (std::size_t i = 0; i < job.pods.size(); ++i) {
    const PodRecord& pod = *job.pods[i];
    Watched& watched = watched_[pod.meta.uid];
    if (watched.look == 0) {
      watched.look = looks_, watched.arrival = job.job.arrival, watched.expected = job.tasks[i].cpu;
      if (watched.found) watched.before = pod.ran(now).value_or(Duration(0));
    }
    job.tasks[i].cpu = watched.expected;
    hand_on(pod);  // it may have come and gone since the last look
  }
}

// A node that is gone is none.
void WatchedPods::put(const PodRecord& pod, TaskId task, const ModelIndex& index, WatchedCluster& cluster) {
  Watched& watched = watched_[pod.meta.uid];
  watched.over = pod.state == PodState::terminated;
  const NodeId node = pod.node.empty() ? NodeId::none() : index.node(pod.node);
  const TimePoint now = cluster.state.snapshot().now;
  std::optional<Duration> ran = pod.ran(now);
  if (ran) *ran -= std::min(*ran, watched.before);
  const TaskFound found{task, node, now - ran.value_or(Duration(0))};
  if (!watched.over) {
    if (node.valid()) cluster.state.apply(found);
  } else if (node.valid() && is_disrupted(pod)) {
    cluster.ended.insert(cluster.ended.end(), {found, TaskLost{task}, TaskWithdrawn{task}});
  } else if (node.valid()) {
    cluster.ended.insert(cluster.ended.end(), {found, TaskFinished{task, node, ran}});
  } else {
    cluster.state.apply(TaskWithdrawn{task});
  }
}

std::optional<WatchedCluster> WatchedPods::look(const Surroundings& around, TimePoint now) {
  nodes_.take_changed();
  if (std::exchange(dependencies_changed_, false)) pods_.review_dependencies();
  pods_.review_anti_affinity();
  pods_.review_applications();
  pods_.forget_unused_classes();
  if (now - learned_ > learn_every) pods_.review_run_times(learned_ = now, rules_.default_run_time);
  const std::map<std::uint64_t, std::vector<PodRecord*>> records = take_records();
  std::optional<WatchedCluster> result;
  if (!records.empty()) {
    ModelIndex index(around.model);
    ModelIndex::Listing listing = index.list(nodes_, pods_.classes(), around.data);
    result.emplace(WatchedCluster{ClusterState(std::move(*listing.start)), std::move(listing.costs), {}});
    result->services = pods_.services().now();
    result->anew = std::exchange(anew_, false);
    result->state.advance(now);
    std::uint32_t tasks = 0;
    std::vector<std::pair<TaskId, TimePoint>> marks;
    for (const auto& [look, together] : records) {
      std::vector<ClusterEvent> events;
      std::vector<GroupedJob> jobs = jobs_of(together, index, around, events);
      for (const ClusterEvent& event : events) result->state.apply(event);
      for (GroupedJob& job : jobs) {
        remember(job, now);
        result->state.apply(JobArrived{std::move(job.job), std::move(job.tasks), std::move(job.maps_before)});
        for (const PodRecord* pod : job.pods) {
          const TaskId task(tasks++);
          put(*pod, task, index, *result);
          if (pod->says_disruption) marks.emplace_back(task, pod->started.value_or(now) + never_evicted);
        }
      }
    }
    result->state.apply(TasksMarked{std::move(marks)});
  }
  for (const std::unique_ptr<PodRecord>& pod : gone_) watched_.erase(pod->meta.uid);
  gone_.clear();
  return result;
}

}  // namespace lips::kubernetes
