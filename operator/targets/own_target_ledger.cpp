#include "targets/own_target_ledger.h"

#include <algorithm>
#include <utility>

namespace lips {

namespace {

constexpr Duration remembered = std::chrono::hours(1);  // then a job of that name is another one

}  // namespace

OwnTargetLedger::Followed* OwnTargetLedger::of_task(const ClusterSnapshot& cluster, TaskId task) {
  const auto found = open_.find(cluster.tasks[task].job);
  return found == open_.end() ? nullptr : &found->second;
}

// `when`: none if it never will.
void OwnTargetLedger::start(const ClusterSnapshot& cluster, TaskId task, std::optional<TimePoint> when) {
  Followed* job = of_task(cluster, task);
  if (!job) return;
  const std::size_t number = task.index() - cluster.jobs[cluster.tasks[task].job].first_task.index();
  if (job->started[number]) return;
  job->started[number] = true;
  --job->seen.to_start;
  if (when) job->seen.last_start = std::max(job->seen.last_start, when);
}

void OwnTargetLedger::end(const ClusterSnapshot& cluster, JobId id) {
  const auto found = open_.find(id);
  if (found == open_.end() || !cluster.jobs[id].finished()) return;
  found->second.seen.done = cluster.now;
  note_missed(cluster, id, found->second.seen);
  open_.erase(found);
}

void OwnTargetLedger::note_missed(const ClusterSnapshot& cluster, JobId id, const JobProgress& seen) {
  const Job& job = cluster.jobs[id];
  for (const OwnTargetKind kind : enumerators<OwnTargetKind>) {
    const std::optional<Duration> late = beyond(kind, job.due, seen, cluster.now);
    if (!late || *late <= Duration(0)) continue;
    const std::string& pool = cluster.pools[job.pool].name;
    const bool added = known_.insert_or_assign({pool, job.name, kind}, cluster.now).second;
    if (added) missed_.push_back({pool, job.name, kind, *late});
  }
}

void OwnTargetLedger::on_event(const ClusterSnapshot& cluster, const ClusterEvent& event) {
  if (std::holds_alternative<ClusterListed>(event)) {
    open_.clear();  // jobs are reported again
  } else if (std::holds_alternative<JobArrived>(event)) {
    const JobId id(static_cast<std::uint32_t>(cluster.jobs.size() - 1));
    const Job& job = cluster.jobs[id];
    if (job.due.any()) open_[id] = {{job.tasks(), {}, {}}, std::vector<bool>(job.tasks(), false)};
  } else if (open_.empty()) {
    return;
  } else if (const auto* started = std::get_if<TaskStarted>(&event)) {
    start(cluster, started->task, cluster.now);
  } else if (const auto* found = std::get_if<TaskFound>(&event)) {
    start(cluster, found->task, found->since);
  } else if (const auto* finished = std::get_if<TaskFinished>(&event)) {
    start(cluster, finished->task, cluster.now - finished->ran.value_or(Duration(0)));
    end(cluster, cluster.tasks[finished->task].job);
  } else if (const auto* withdrawn = std::get_if<TaskWithdrawn>(&event)) {
    start(cluster, withdrawn->task, std::nullopt);
    end(cluster, cluster.tasks[withdrawn->task].job);
  }
}

std::vector<OwnTargetReport> OwnTargetLedger::reports(const ClusterSnapshot& cluster) {
  for (const auto& [id, followed] : open_) note_missed(cluster, id, followed.seen);
  std::erase_if(known_, [&](const auto& entry) { return cluster.now - entry.second > remembered; });
  if (open_.empty()) return {};
  std::map<Name, OwnTargetReport> jobs;
  Deadlines deadlines(cluster);
  for (const auto& [id, followed] : open_)
    for (const OwnTargetKind kind : enumerators<OwnTargetKind>) {
      const std::optional<OwnTargetReport> report = report_of(kind, cluster, id, followed.seen, deadlines);
      if (!report) continue;
      const auto [known, added] = jobs.try_emplace({report->pool, report->job, kind}, *report);
      if (!added && is_worse(*report, known->second)) known->second = *report;
    }
  std::vector<OwnTargetReport> result;
  for (auto& [name, report] : jobs) result.push_back(std::move(report));
  std::sort(result.begin(), result.end(), is_worse);
  return result;
}

}  // namespace lips
