// The bound of the program, mended for plans of whole tasks: these may go beyond the horizon that it is about.
#pragma once

#include "model/plan.h"
#include "policies/papers/lips_paper/paper_model_snapshot.h"

namespace lips::paper {

// No plan that serves the tasks that `plan` serves costs less, what waits in `plan` at its overflow price: neither one
// that ends within the horizon or goes beyond it no further than `plan` does, nor one that starts all its tasks at
// once, however long they run.
Usd bound_for_whole_tasks(const ClusterSnapshot& cluster, const SnapshotInstance& snapshot, const Solution& solution,
                          const Plan& plan);

}  // namespace lips::paper
