// In which order jobs of equal priority go: arrival + k x (the job's work / the cluster's rate), so that small jobs
// do not wait for large ones, and large ones not for ever.
#pragma once

#include "policies/lips/commodities.h"

namespace lips {

class JobOrder {
 public:
  JobOrder(const ClusterSnapshot& cluster, const NodeClasses& classes, const CommoditySettings& settings)
      : cluster_(cluster), classes_(classes), settings_(settings) {}

  // Seconds: the least goes first.
  double urgency(JobId id) const;

 private:
  double boost(const Job& job) const;

  const ClusterSnapshot& cluster_;
  const NodeClasses& classes_;
  const CommoditySettings& settings_;
};

}  // namespace lips
