// The jobs of a simulated cluster: they arrive, wait for each other, release their tasks and end.
#pragma once

#include <vector>

#include "simulation/world.h"

namespace lips::simulation {

class TruthJobs {
 public:
  TruthJobs(World& world, const Peers& peers);

  bool all_arrived() const { return next_arrival_ == world_.scenario.jobs.size(); }
  void arrive();
  void release(JobId job, TaskKind kind);
  void end_if_done(JobId job);
  void end_job(JobId job, bool finished);
  void fail_jobs_without_data();

 private:
  void release_level(JobId job);
  bool needs_lost_data(JobId job) const;
  void notify_waiting_jobs(JobId ended, bool finished);

  World& world_;
  const Peers& peers_;
  // By job of the scenario: how many unfinished jobs it waits for. Empty: no job waits.
  std::vector<std::uint32_t> waits_for_;
  std::vector<std::vector<JobId>> waiting_for_me_;
  std::vector<bool> doomed_;  // waits for a job that failed
  std::size_t next_arrival_ = 0;
};

}  // namespace lips::simulation
