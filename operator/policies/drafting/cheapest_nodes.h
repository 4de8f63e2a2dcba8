// The nodes with room, by price and zone, sorted only as far as callers read. Knows prices and room, no data.
#pragma once

#include <utility>
#include <vector>

#include "policies/drafting/draft.h"
#include "policies/drafting/free_capacity.h"

namespace lips {

class CheapestNodes {
 public:
  CheapestNodes(const ClusterSnapshot& cluster, FreeCapacity& free);

  // The zone's cheapest node that can take a task of the kind, least id among equals; none when nothing fits there.
  NodeId in_zone(FreeCapacity::Kind kind, ZoneId zone);
  // Over several zones, or over all.
  NodeId among(FreeCapacity::Kind kind, ZoneSet zones);
  NodeId anywhere(FreeCapacity::Kind kind);

 private:
  using Priced = std::pair<double, NodeId>;
  struct ZoneNodes {
    std::vector<Priced> sorted;      // the cheapest ones requested so far
    std::vector<Priced> heap;        // the others, the cheapest on top
    std::vector<std::size_t> first;  // by kind: those before it are too full for it
  };
  bool cheaper(NodeId a, NodeId b) const;

  const ClusterSnapshot& cluster_;
  FreeCapacity& free_;
  IdVector<ZoneId, ZoneNodes> zones_;
};

struct TaskOnNode {
  TaskId task;
  NodeId node;
};
// The group's task for this node, or for another one of the same zone and price that holds the task's input.
TaskOnNode prefer_replica(Draft& draft, JobId job, std::uint32_t group, NodeId node);

// Assigns tasks of the group as long as choose() finds a node.
template <class Choose>
void assign_group(Draft& draft, JobId job, std::uint32_t group, Choose choose) {
  while (draft.tasks.left(job, group) > 0) {
    const NodeId node = choose();
    if (!node.valid()) return;
    const TaskOnNode chosen = prefer_replica(draft, job, group, node);
    draft.assign(chosen.task, chosen.node);
  }
}

}  // namespace lips
