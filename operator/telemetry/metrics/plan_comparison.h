// The costs of two plans for the same snapshot, for the tasks that both place. Decides nothing.
#pragma once

#include <string>
#include <vector>

#include "model/costs.h"
#include "model/plan.h"
#include "model/snapshot.h"

namespace lips {

struct ComparedTask {
  TaskId task;
  Bill theirs;                // of the baseline's assignment
  UsdPerCpuSecond cpu_price;  // of its node
  Usd our_exchange;           // with its peers, where our plan has them; theirs is in `theirs`
};

// Tasks that `ours` and `theirs` both assign, in the order of `ours`. What the tasks of a job of peers add to its
// exchange is theirs in equal parts.
std::vector<ComparedTask> compare_plans(const ClusterSnapshot& cluster, const CostModel& costs, const Plan& ours,
                                        const Plan& theirs);

}  // namespace lips
