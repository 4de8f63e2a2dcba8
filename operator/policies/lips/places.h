// From "so many tasks of this portion on that node" to tasks: those whose block lies on the node first.
#pragma once

#include "policies/lips/packing.h"
#include "policies/policy.h"

namespace lips {

struct PlaceSettings {
  bool keep_copies = false;  // a remotely read block stays in the reader's zone
  bool share_copies = false; // blocks that several tasks read in a zone that has none are moved there once, ahead of reading
  bool by_flow = false;      // the most node-local tasks possible, as a min-cost flow; else node by node
};

// Appends to plan.assignments in order of start.
void choose_tasks(const PolicyInput& input, const Units& units, std::vector<Placement> placements, const PlaceSettings& settings,
                  Plan& plan);

// A store of the node's zone with room for the block: the node's own first. None when there is none.
StoreId store_for_copy(const ClusterSnapshot& cluster, BlockId block, NodeId node);

}  // namespace lips
