// Whole tasks of the program's amounts, in turns: pools within what they are entitled to before pools that borrow, and
// of each the higher priority before the lower. Where nothing divides the tasks, there is one turn.
//
// Each turn packs its tasks where the program meant them and offers those that find no room there every other place.
// Whoever waits by his own choice gives way: what the entitled leave is lent, first in proportion to what the others
// are entitled to, then to whoever pays for it, so no entitlement leaves room idle.
#pragma once

#include <vector>

#include "policies/lips/placing/packing.h"
#include "policies/lips/placing/second_choice.h"

namespace lips {

struct WholeTasks {
  WholeQuotas quotas;  // of the amounts, and launches that a second choice asks for
  std::vector<Placement> placements;
  double stranded_usd = 0;     // of tasks that found no room where the program meant them
  PoolRoom pools;              // with these
  std::vector<HeldRoom> held;  // for large tasks
};

// Only the first turn plans ahead of now. `free`: tasks that start are taken from it.
WholeTasks choose_whole_tasks(const SolvedMarket& market, const CostModel& costs, WholeQuotas quotas,
                              PackingSettings packing, const PoolShares& shares, IdVector<NodeId, Resources>& free);

}  // namespace lips
