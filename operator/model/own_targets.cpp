#include "model/own_targets.h"

#include <algorithm>
#include <tuple>

#include "model/work_left.h"

namespace lips {

namespace {

OwnTargetState state_of(Duration needed, Duration left) {
  switch (deadline_state(to_seconds(needed), to_seconds(left))) {
    case TargetState::learning:
    case TargetState::held:
      return OwnTargetState::held;
    case TargetState::behind:
      return OwnTargetState::behind;
    case TargetState::cannot:
      return OwnTargetState::cannot;
  }
  return OwnTargetState::held;
}

}  // namespace

std::optional<Duration> beyond(OwnTargetKind kind, const JobDue& due, const JobProgress& seen, TimePoint now) {
  if (kind == OwnTargetKind::complete_by)
    return due.complete_by ? std::optional(seen.done.value_or(now) - *due.complete_by) : std::nullopt;
  if (!due.start_by) return std::nullopt;
  if (seen.to_start == 0 && !seen.last_start) return Duration(0);
  return std::max(seen.to_start > 0 ? now : TimePoint::min(), seen.last_start.value_or(TimePoint::min())) -
         *due.start_by;
}

OwnTargetState Deadline::state() const { return left < Duration(0) ? OwnTargetState::missed : state_of(needed, left); }

Deadlines::Deadlines(const ClusterSnapshot& cluster)
    : cluster_(cluster),
      parts_(cluster),
      work_rate_(work_rate(cluster)),
      fastest_(fastest_node(cluster)),
      starts_(cluster, parts_) {
  for (const RunningTask& run : cluster.running) {
    const Job& job = cluster.jobs[run.job];
    if (!job.due.complete_by) continue;
    Running& running = running_[whole(job, run.job)];
    running.last_end = std::max(running.last_end, run.expected_end);
    if (job.pending == 0) running.not_pending += job.work / std::max(1U, job.tasks());
  }
}

CpuSeconds Deadlines::started(JobId id) const {
  CpuSeconds work;
  parts_.each(id, [&](JobId part) {
    const Job& job = cluster_.jobs[part];
    work += job.work * job.running / std::max(1U, job.tasks());
  });
  const auto found = running_.find(whole(cluster_.jobs[id], id));
  return found == running_.end() ? work : work + found->second.not_pending;
}

std::optional<Deadline> Deadlines::of(JobId id) {
  const Job& job = cluster_.jobs[id];
  if (!job.due.complete_by || job.finished()) return std::nullopt;
  const double longest = longest_task(cluster_, parts_, id) / fastest_;
  const double not_started = (all_work_left(job) - started(id)).value() / std::max(work_rate_, 1e-9);
  Deadline deadline{*job.due.complete_by - cluster_.now,
                    seconds(std::max({longest, not_started, starts_.of_all(id).end}))};
  if (const auto found = running_.find(whole(job, id)); found != running_.end())
    deadline.needed = std::max(deadline.needed, found->second.last_end - cluster_.now);
  return deadline;
}

std::optional<Deadline> Deadlines::of_start(JobId id) {
  const Job& job = cluster_.jobs[id];
  if (!job.due.start_by || job.pending == 0) return std::nullopt;
  return Deadline{*job.due.start_by - cluster_.now, last_start(id, job.pending)};
}

std::optional<OwnTargetReport> report_of(OwnTargetKind kind, const ClusterSnapshot& cluster, JobId id,
                                         const JobProgress& seen, Deadlines& deadlines) {
  const Job& job = cluster.jobs[id];
  const std::optional<Duration> late = beyond(kind, job.due, seen, cluster.now);
  if (!late) return std::nullopt;
  OwnTargetReport report{cluster.pools[job.pool].name, job.name, kind, {}, {}, {}};
  if (kind == OwnTargetKind::complete_by) {
    const Deadline deadline = deadlines.of(id).value_or(Deadline{});
    report.target = deadline.left, report.forecast = deadline.needed;
    report.state = deadline.state();
  } else {
    report.target = *job.due.start_by - job.arrival, report.forecast = report.target + *late;
    if (seen.to_start > 0) report.forecast += deadlines.last_start(id, seen.to_start);
    report.state = *late > Duration(0)  ? OwnTargetState::missed
                   : seen.to_start == 0 ? OwnTargetState::held
                                        : state_of(report.forecast, report.target);
  }
  return report;
}

bool is_worse(const OwnTargetReport& a, const OwnTargetReport& b) {
  const auto rank = [](const OwnTargetReport& report) {
    return std::tuple(-static_cast<int>(report.state), report.target - report.forecast, std::cref(report.pool).get(),
                      std::cref(report.job).get(), report.kind);
  };
  return rank(a) < rank(b);
}

}  // namespace lips
