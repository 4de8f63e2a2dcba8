// Nodes grouped by the differences that matter to pending tasks.
#pragma once

#include <map>
#include <vector>

#include "model/snapshot.h"

namespace lips {

// Numbers profiles by the pending constraints that they meet, and capacities by the pending requests that fit them:
// a difference that matters to no pending task separates no nodes.
class NodeKinds {
 public:
  explicit NodeKinds(const ClusterSnapshot& cluster);
  int by_profile(NodeId node);
  int by_capacity(const Resources& capacity);

 private:
  const ClusterSnapshot& cluster_;
  std::vector<ConstraintId> constraints_;
  std::vector<Resources> requests_;
  IdVector<ProfileId, int> of_profile_;
  std::map<Resources, int> of_capacity_;
  std::map<Resources, int>::const_iterator last_ = of_capacity_.end();  // looked up: neighbours are often alike
  std::map<std::vector<bool>, int> profile_kinds_, capacity_kinds_;
};

}  // namespace lips
