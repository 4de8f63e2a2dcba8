// ASSIGNTORACK of Algorithm 3: no rack gets a degraded task while it still reads for another one.
#pragma once

#include "policies/drafting/draft.h"
#include "policies/settings.h"

namespace lips {

// For nodes without a rack their zone is the rack.
class RackSpacing {
 public:
  // The draft outlives this.
  RackSpacing(const Draft& draft, const PolicySettings& settings);

  bool allows(NodeId node, TaskId degraded) const;
  void launched(NodeId node);

 private:
  std::size_t place(NodeId node) const;
  // (R - 1) k S / (R W): the time of a degraded read whose sources are spread evenly over the racks.
  double read_seconds(NodeId node, TaskId degraded) const;

  const Draft& draft_;
  double fixed_seconds_;
  std::vector<double> since_;  // by rack, then by zone: seconds since its last degraded task
  std::vector<bool> used_;     // some node is there
};

}  // namespace lips
