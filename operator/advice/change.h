// Single changes of a cluster or of its policy, and what each does to a question. Plans nothing.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "advice/question.h"

namespace lips::advice {

// Empty nodes with the properties of that one, or of an offer's.
struct NodesAdded {
  NodeId like;
  std::uint32_t count = 1;
};
// No task starts in the zone any more; what lies there can still be read.
struct ZoneClosed {
  ZoneId zone;
};
struct WaitingPriced {
  double waiting_price = 1;  // settings.waitingPrice
};
struct PricesScaled {
  std::vector<NodeId> nodes;
  double factor = 1;
};
struct MaximumRaised {
  PoolId pool;
  Cores maximum;  // 0: none
};
// The pod of a pending task is deleted and created again, with these.
struct PodRecreated {
  TaskId task;
  PlacementConstraint constraint;
  std::int32_t priority = 0;
};
struct JobAdded {
  Job job;
  std::vector<Task> tasks;  // maps, then reduces; only block, cpu, input and kind are read
  PlacementConstraint constraint = {};
};

using Change = std::variant<NodesAdded, ZoneClosed, WaitingPriced, PricesScaled, MaximumRaised, PodRecreated, JobAdded>;

// The first task that the change adds; none if it adds no task.
TaskId apply_change(const Change& change, Question& question);

// The label that says which node it is.
inline constexpr const char* host_label = "kubernetes.io/hostname";
// The constraint that only that node meets.
PlacementConstraint on_node(PlacementConstraint constraint, const Node& node);

}  // namespace lips::advice
