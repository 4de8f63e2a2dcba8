// Tasks that find no room where the program meant them are offered every other place in the same plan.
//
// The program adds up what nodes have; whole tasks need it on one node. What fragments, other tasks' memory or devices
// leave unusable is stranded: tasks whose work the program put there buy the cheapest place that holds them (offers.h).
#pragma once

#include <utility>
#include <vector>

#include "policies/lips/placing/packing.h"
#include "policies/lips/placing/pool_room.h"
#include "policies/lips/placing/rounding.h"

namespace lips {

// Tasks that a node to be launched serves at least cost.
struct LaunchChoice {
  ClassId offer;
  Quota quota;
  ClassId of_class;  // that the program meant them for; none: any of the zone
  ZoneId zone;
};

struct SecondChoice {
  std::vector<Placement> placements;  // that start now
  std::vector<LaunchChoice> launches;
  std::vector<HeldRoom> held;  // for tasks that were promised a node
  double usd = 0;              // of all tasks that were stranded, above the program's price
};

// The tasks whose turn it is, before packing.
struct TasksInTurn {
  IdVector<PortionId, std::uint32_t> left;  // 0: it is not the portion's turn
  const std::vector<Placement>& started;    // in earlier turns
};

// `free`: after packing. Tasks that start are taken from it and from what packing left.
SecondChoice choose_again(const PackingFacts& facts, const TasksInTurn& turn, Packed& packed,
                          IdVector<NodeId, Resources>& free);

}  // namespace lips
