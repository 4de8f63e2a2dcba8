// Targets that jobs have for themselves (JobDue): when one of them is missed, and whether it can be held. The one rule
// for simulated runs, answers, metrics and pages.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/ids.h"
#include "base/units.h"
#include "model/jobs_in_parts.h"
#include "model/snapshot.h"
#include "model/starts_in_time.h"
#include "model/targets.h"

namespace lips {

// The history of a job. A task that starts anew has not waited for so long.
struct JobProgress {
  std::size_t to_start = 0;             // tasks that have not started even once
  std::optional<TimePoint> last_start;  // the last time that a task started for the first time
  std::optional<TimePoint> done;
};

// By how much the job is beyond its target, at that time at the latest; it has missed the target if this is above 0.
// None: it has no such target.
std::optional<Duration> beyond(OwnTargetKind kind, const JobDue& due, const JobProgress& seen, TimePoint now);

// When a job has to be done, or its last task to have started, and what that takes at the least.
struct Deadline {
  Duration left{};    // negative: it has passed
  Duration needed{};  // longest_span: no node takes all of its tasks
  OwnTargetState state() const;
  bool can_be_met() const { return state() < OwnTargetState::cannot; }
};

class Deadlines {
 public:
  explicit Deadlines(const ClusterSnapshot& cluster);
  Deadlines(const Deadlines&) = delete;
  // A job needs its longest task, its work on all nodes, the end of each task that runs, and after the last start of
  // one that waits the shortest of these: of all of its parts. None: this one has no deadline, or is done.
  std::optional<Deadline> of(JobId part);
  // The deadline of the last start. None: its tasks may wait for ever, or none does.
  std::optional<Deadline> of_start(JobId part);
  // Until so many of its tasks that wait have started.
  Duration last_start(JobId part, std::size_t tasks) { return seconds(starts_.of(part, tasks)); }

 private:
  // The parts that run and that wait of a job that is due.
  struct Running {
    TimePoint last_end = TimePoint::min();
    CpuSeconds not_pending;  // work of running tasks of parts of which none waits
  };
  using Whole = std::pair<WholeJobId, JobId>;  // the second of a job that is no part
  static Whole whole(const Job& job, JobId id) { return {job.whole.id, job.whole.id.valid() ? JobId::none() : id}; }
  CpuSeconds started(JobId part) const;

  const ClusterSnapshot& cluster_;
  const PendingParts parts_;
  double work_rate_ = 0, fastest_ = 1;
  std::map<Whole, Running> running_;
  StartsInTime starts_;
};

// A target of one job that waits or runs.
struct OwnTargetReport {
  std::string pool, job;
  OwnTargetKind kind = OwnTargetKind::complete_by;
  Duration target{};    // complete_by: the time left, negative once it has passed; max_wait: the longest wait
  Duration forecast{};  // at the least. complete_by: the time that it takes; max_wait: how long its tasks will wait
  OwnTargetState state = OwnTargetState::held;
  friend bool operator==(const OwnTargetReport&, const OwnTargetReport&) = default;
};
struct MissedTarget {
  std::string pool, job;
  OwnTargetKind kind = OwnTargetKind::complete_by;
  Duration late{};  // when that was seen
  friend bool operator==(const MissedTarget&, const MissedTarget&) = default;
};
// None: it has no such target.
std::optional<OwnTargetReport> report_of(OwnTargetKind kind, const ClusterSnapshot& cluster, JobId job,
                                         const JobProgress& seen, Deadlines& deadlines);
// The worst first; ties by name.
bool is_worse(const OwnTargetReport& a, const OwnTargetReport& b);

}  // namespace lips
