// From a solution of the LiPS programs to a plan: whole tasks, nodes several waves deep, the replicas that they read
// and the blocks that are copied. Solves nothing.
#pragma once

#include "model/plan.h"
#include "policies/papers/lips_paper/paper_model_snapshot.h"
#include "policies/policy.h"

namespace lips::paper {

// Within a class of nodes, tasks whose block is on a node go there first, the others to the node with most work left in
// the horizon. A node takes tasks while it has any left: its last one may end after the horizon, and is then charged to
// the next.
Plan place(const PolicyInput& input, const SnapshotInstance& snapshot, const Solution& solution, CpuSeconds least_task);

}  // namespace lips::paper
