// What a plan does with the shares of pools, and what sharing costs.
#pragma once

#include <vector>

#include "model/entitlements.h"
#include "policies/lips/placing/whole_tasks.h"

namespace lips {

// By pool. `plan`: with its assignments.
std::vector<PoolSharing> sharing(const SolvedMarket& market, const PoolShares& shares, const WholeTasks& whole,
                                 const Plan& plan);

}  // namespace lips
