// ASSIGNTOSLAVE of Algorithm 3: a node with more local work than the others gets no degraded task, else other nodes
// would take its local tasks.
#pragma once

#include "policies/drafting/draft.h"
#include "policies/settings.h"

namespace lips {

class LocalLoad {
 public:
  // The draft outlives this. The first query counts the tasks that are unassigned then.
  LocalLoad(const Draft& draft, const PolicySettings& settings)
      : draft_(draft), rule_(settings.degraded.node_test), by_power_(settings.degraded.power) {}

  bool allows(NodeId node);
  void took(TaskId task);

 private:
  void count();
  void add(TaskId task, double sign);

  const Draft& draft_;
  DegradedNodeTest rule_;
  NodePower by_power_;
  bool counted_ = false;
  IdVector<NodeId, double> seconds_;  // ts
  double sum_ = 0;
  std::size_t nodes_ = 0;
};

}  // namespace lips
