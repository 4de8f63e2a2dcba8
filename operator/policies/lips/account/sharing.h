// The use that a plan makes of the shares of pools, and the cost of sharing.
#pragma once

#include <vector>

#include "model/entitlements.h"
#include "policies/lips/placing/whole_tasks.h"

namespace lips {

// By pool. `plan`: with its assignments.
std::vector<PoolSharing> sharing(const SolvedMarket& market, const PoolShares& shares, const WholeTasks& whole,
                                 const Plan& plan);

}  // namespace lips
