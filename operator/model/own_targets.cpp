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
    : cluster_(cluster), work_rate_(work_rate(cluster)), fastest_(fastest_node(cluster)), last_starts_(cluster) {
  for (const RunningTask& run : cluster.running) {
    if (!cluster.jobs[run.job].due.complete_by) continue;
    TimePoint& last = last_end_.try_emplace(run.job, run.expected_end).first->second;
    last = std::max(last, run.expected_end);
  }
}

std::optional<Deadline> Deadlines::of(JobId id) {
  const Job& job = cluster_.jobs[id];
  if (!job.due.complete_by || job.finished()) return std::nullopt;
  const double least =
      std::max(least_seconds_left(cluster_, id, work_rate_, fastest_), last_starts_.of(id, job.pending).end);
  Deadline deadline{*job.due.complete_by - cluster_.now, seconds(least)};
  if (const auto last = last_end_.find(id); last != last_end_.end())
    deadline.needed = std::max(deadline.needed, last->second - cluster_.now);
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
