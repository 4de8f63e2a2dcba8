// Which of the tasks that found no room ask for a node, and where.
#pragma once

#include "model/plan.h"
#include "policies/lips/market/amounts.h"
#include "policies/lips/market/workload.h"
#include "policies/lips/placing/packing.h"
#include "policies/lips/placing/rounding.h"

namespace lips {

// Requests nodes for the work that the amounts give to each offer as many tasks as run at once while it drains, the
// most urgent first; they are deferred until their node is there. `quotas`: as they were before packing; `pools`:
// before the plan. Pools that want more than they are entitled to ask last.
void request_nodes(const SolvedMarket& market, WholeQuotas quotas, const std::vector<Placement>& placements,
                   PoolRoom pools, Plan& plan);

}  // namespace lips
