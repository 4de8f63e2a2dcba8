// Nodes grouped by the differences that matter to pending tasks.
#pragma once

#include <map>
#include <vector>

#include "model/snapshot.h"
#include "policies/lips/market/eligible_nodes.h"

namespace lips {

// Numbers profiles by the pending constraints that they meet, and capacities by the pending requests that fit them:
// a difference that matters to no pending task separates no nodes. Numbers count up in the order of the questions.
class NodeKinds {
 public:
  NodeKinds(const ClusterSnapshot& cluster, const EligibleNodes& eligible);
  int by_profile(NodeId node);
  int by_capacity(const Resources& capacity);

 private:
  const ClusterSnapshot& cluster_;
  std::vector<Resources> requests_;
  IdVector<ProfileId, std::uint32_t> part_of_;  // two profiles are in one part if each constraint takes both or neither
  std::map<std::uint32_t, int> kind_of_part_;
  std::map<Resources, int> of_capacity_;
  std::map<Resources, int>::const_iterator last_ = of_capacity_.end();  // looked up: neighbours are often alike
  std::map<std::vector<bool>, int> capacity_kinds_;
};

}  // namespace lips
