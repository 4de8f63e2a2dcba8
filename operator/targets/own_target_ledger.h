// Follows jobs with targets of their own: which of their tasks have started, and which targets are missed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "controller/observer.h"
#include "model/own_targets.h"

namespace lips {

class OwnTargetLedger {
 public:
  void on_event(const ClusterSnapshot& cluster, const ClusterEvent& event);

  // The targets of all jobs that wait or run, the worst first. Parts of a job have its name and count once, as the
  // worst of them.
  std::vector<OwnTargetReport> reports(const ClusterSnapshot& cluster);
  // Those that were missed since the last call, of jobs that have ended too. Each once.
  std::vector<MissedTarget> take_missed() { return std::exchange(missed_, {}); }

 private:
  struct Followed {
    JobProgress seen;
    std::vector<bool> started;  // its tasks; those that will never start count as started
  };
  using Name = std::tuple<std::string, std::string, OwnTargetKind>;  // pool, job

  Followed* of_task(const ClusterSnapshot& cluster, TaskId task);
  void start(const ClusterSnapshot& cluster, TaskId task, std::optional<TimePoint> when);
  void end(const ClusterSnapshot& cluster, JobId job);
  void note_missed(const ClusterSnapshot& cluster, JobId job, const JobProgress& seen);

  std::map<JobId, Followed> open_;
  std::map<Name, TimePoint> known_;  // as missed, and when they were last seen
  std::vector<MissedTarget> missed_;
};

}  // namespace lips
