// Room that is kept for tasks to come gives way to tasks that are here: of other pools, within what these are entitled
// to, where they find no room beside it. Room for the rest of a gang does so once its pool has spent its budget.
// Internal to peers.cpp.
#pragma once

#include <vector>

#include "model/snapshot.h"
#include "policies/lips/gangs/keep_budget.h"
#include "policies/lips/gangs/kept_spot.h"
#include "policies/lips/market/node_classes.h"
#include "policies/lips/placing/pool_room.h"

namespace lips {

// A plan so far, in which that room is taken.
struct RoomOfPlan {
  NodeClasses& classes;
  IdVector<NodeId, Resources>& free;
  PoolRoom& pools;
  std::vector<HeldRoom>& held;
  std::vector<NodeRequest>& requests;
};

// The spots are in the order in which they were taken: the last gives way first.
void give_way(const ClusterSnapshot& cluster, const KeepBudget& budget, std::vector<KeptSpot>& kept,
              const RoomOfPlan& plan);

}  // namespace lips
