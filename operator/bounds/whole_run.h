// What a bound on a whole run is given: the cluster at its start, prices, and what arrives when. Knows no schedule and
// no simulator.
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
  std::vector<CpuSeconds> work;  // that each task really takes, job by job
};

}  // namespace lips
