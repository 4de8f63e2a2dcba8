// From numbers of tasks by portion and node to tasks: those whose block lies on the node first.
#pragma once

#include "policies/lips/data/copies.h"
#include "policies/lips/placing/packing.h"
#include "policies/policy.h"

namespace lips {

struct TaskSelectionSettings {
  const CopiesToKeep* copies = nullptr;  // of remotely read blocks, in the reader's zone; none: nobody keeps any
  bool share_copies =
      false;  // blocks that several tasks read in a zone that has none are moved there once, ahead of reading
  bool by_flow = false;  // the most node-local tasks possible, as a min-cost flow; else node by node
};

// The locality of the placed tasks that read a block: the number with the block on their node, and an upper bound on it
// over all choices among equal tasks (without the flow: all of them).
struct LocalityReached {
  std::uint64_t readers = 0, local = 0, bound = 0;
  LocalityReached& operator+=(const LocalityReached& other) {
    readers += other.readers, local += other.local, bound += other.bound;
    return *this;
  }
  void tell(PlanAccount& account) const {
    if (readers == 0) return;
    account.node_local_share = static_cast<double>(local) / static_cast<double>(readers);
    account.node_local_bound = static_cast<double>(bound) / static_cast<double>(readers);
  }
};

// Appends to plan.assignments in order of start.
LocalityReached choose_tasks(const PolicyInput& input, const Workload& workload,
                             const std::vector<Placement>& placements, const TaskSelectionSettings& settings,
                             Plan& plan);

}  // namespace lips
