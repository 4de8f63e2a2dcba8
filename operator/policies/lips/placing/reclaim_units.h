// Running tasks that may be taken back, alone or as a gang, and starts of the plan that nothing is lost with.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/costs.h"
#include "model/entitlements.h"
#include "model/plan.h"
#include "model/snapshot.h"

namespace lips {

// The dollars of the task's work so far: its CPU, and the part of its input that it has read.
Usd lost_with(const ClusterSnapshot& cluster, const CostModel& costs, const RunningTask& run);

// Tasks that go together or stay together.
struct ReclaimUnit {
  PoolId pool;
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

// Units of pools above their shares. Tasks that were taken back already, or have just been bound, are in none.
std::vector<ReclaimUnit> reclaim_units(const ClusterSnapshot& cluster, const CostModel& costs, const PoolShares& shares,
                                       const std::vector<Assignment>& starts);

bool has_waiting_tasks(const ClusterSnapshot& cluster, PoolId pool);

// Nodes on which tasks end that were taken back for a pool that still has waiting tasks: what is free there is its own.
IdVector<NodeId, bool> nodes_of_reclaimed(const ClusterSnapshot& cluster);
void keep_room_of_reclaimed(const ClusterSnapshot& cluster, IdVector<NodeId, Resources>& free);

}  // namespace lips
