// Jobs with targets of their own, completeBy and maxWait: how many missed theirs.
#pragma once

#include <cstddef>

#include "base/ids.h"
#include "model/own_targets.h"
#include "simulation/run_result.h"
#include "simulation/scenario.h"

namespace lips::simulation {

class OwnTargetsRecorder {
 public:
  explicit OwnTargetsRecorder(const Scenario& scenario) : scenario_(scenario) {}

  void on_job(std::size_t tasks);
  void on_start(TaskId task, JobId job, TimePoint now);
  void on_job_end(JobId job, bool finished, TimePoint now);
  OwnTargets finish(TimePoint end) const;

 private:
  const Scenario& scenario_;
  IdVector<JobId, JobProgress> jobs_;
  IdVector<TaskId, bool> started_;
};

}  // namespace lips::simulation
