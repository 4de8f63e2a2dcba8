// In which order jobs of equal priority go: arrival + k x (the job's work / the cluster's rate), so that small jobs
// do not wait for large ones, and large ones not for ever. A job is all of its parts, and arrives with the first.
// Source of the order by size and what is left together: Hyytia, Aalto, Penttinen, Minimizing slowdown in heterogeneous
// size-aware dispatching systems, SIGMETRICS 2012 (SPTP).
#pragma once

#include "policies/lips/demand/waiting_weights.h"
#include "policies/lips/market/node_classes.h"

namespace lips {

struct JobOrderSettings {
  double factor = 20;         // k
  bool by_work_left = false;  // a job's work is the geometric mean of all of it and of what has not ended
  WaitingWeights weights = {};
  // Per USD per CPU-second of shortfall price: by how much a pool below its share goes earlier.
  double share_boost_hours = 0;
};

// As the policy sets them. `weights`: those in the order; `wait`: what an hour's wait of a CPU-second weighs in a plan.
JobOrderSettings job_order(const ClusterSnapshot& cluster, const LipsSettings& settings, const WaitingWeights& weights,
                           UsdPerCpuSecond wait);

class JobOrder {
 public:
  JobOrder(const ClusterSnapshot& cluster, const NodeClasses& classes, const JobOrderSettings& settings)
      : cluster_(cluster), classes_(classes), settings_(settings) {}

  // Seconds: the least goes first.
  double urgency(JobId id) const;

 private:
  double boost(const Job& job) const;

  const ClusterSnapshot& cluster_;
  const NodeClasses& classes_;
  const JobOrderSettings& settings_;
};

}  // namespace lips
