// Running tasks that may be taken back, alone or as a gang, and starts of the plan that nothing is lost with.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/costs.h"
#include "model/entitlements.h"
#include "model/plan.h"
#include "model/snapshot.h"
#include "policies/lips/placing/priority_gap.h"

namespace lips {

// The dollars of the task's work so far: its CPU, and the part of its input that it has read.
Usd lost_with(const ClusterSnapshot& cluster, const CostModel& costs, const RunningTask& run);

// Tasks that go together or stay together.
struct ReclaimUnit {
  PoolId pool;
  std::int32_t priority = 0;                       // the highest of its tasks
  double usd = 0;                                  // lost with all of them
  std::vector<Reclaim> tasks;                      // for nobody yet
  bool starts = false;                             // the one task is an assignment of the plan
  ResourceAmounts amounts;                         // of all tasks
  std::vector<std::pair<NodeId, Resources>> room;  // by task
};

// The assignments of a plan as the dispatcher carries them out: those that fit now, and those that wait for room.
struct PlannedStarts {
  std::vector<Assignment> now, later;
};
PlannedStarts planned_starts(const ClusterSnapshot& cluster, const std::vector<Assignment>& assignments);

// The pool uses more than its share.
bool lends(const PoolShares& shares, PoolId pool);

// All that units are made of.
struct ReclaimSource {
  const ClusterSnapshot& cluster;
  const CostModel& costs;
  const PoolShares& shares;
  const IdVector<PoolId, PriorityGap>& gaps;
};
// Units of pools above their shares, and of tasks below waiting ones of their pool. Tasks that were taken back already,
// or have just been bound, are in none.
std::vector<ReclaimUnit> reclaim_units(const ReclaimSource& source, const std::vector<Assignment>& starts);

bool has_waiting_tasks(const ClusterSnapshot& cluster, PoolId pool);

// Nodes on which tasks end that were taken back for a pool that still has waiting tasks, in its own of a higher
// priority: what is free there is its own.
IdVector<NodeId, bool> nodes_of_reclaimed(const ClusterSnapshot& cluster);
void keep_room_of_reclaimed(const ClusterSnapshot& cluster, IdVector<NodeId, Resources>& free);

}  // namespace lips
