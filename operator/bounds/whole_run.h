// The input of bounds on a whole run: the cluster at its start, prices, and arrivals. Knows no schedule and no
// simulator.
#pragma once

#include <span>
#include <vector>

#include "model/cluster_event.h"
#include "model/costs.h"
#include "model/snapshot.h"

namespace lips {

struct WholeRun {
  const ClusterSnapshot& cluster;  // no jobs, no tasks
  const CostModel& costs;
  std::span<const JobArrived> jobs;
  std::vector<CpuSeconds> work;  // true work of each task, job by job
};

inline double total_work(const WholeRun& run) {
  double work = 0;
  for (const CpuSeconds each : run.work) work += each.value();
  return work;
}

}  // namespace lips
