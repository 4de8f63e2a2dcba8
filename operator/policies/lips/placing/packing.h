// From whole tasks in zones and classes to nodes and times: list scheduling on every node's timeline, cheapest classes
// and earliest slots first, most urgent tasks first, never more at once than a node holds.
#pragma once

#include <vector>

#include "policies/lips/placing/demands.h"
#include "policies/lips/placing/pool_room.h"
#include "policies/lips/placing/promised_room.h"
#include "policies/lips/placing/rounding.h"
#include "policies/policy.h"

namespace lips {

// Tasks of one portion that start together on one node.
struct Placement {
  PortionId portion;
  std::uint32_t tasks = 0;
  NodeId node;
  double start = 0;  // seconds from now
  ZoneId from;       // the zone that it reads from; none: the cheapest
};

struct PackingSettings {
  double window = 0;      // seconds: tasks start before it ends, and may run past it
  bool strict = false;    // a class takes no more than the model's capacity, and the rest spills to the next cheapest
  bool fill = false;      // a class whose free capacity the model has used up takes more tasks of its zone while any
                          // slot is free: the model counts a slot as one mean task
  bool balance = false;   // memory binds too: among the most urgent tasks the one whose request best matches the free
                          // resources goes first
  PoolRoom pools;         // before the tasks
  PromisedRoom promised;  // by earlier turns
  IdVector<ClassId, double> open_work;   // left of the program's; empty: all of it
  IdVector<PoolId, double> pool_budget;  // core-seconds that each pool may still use (strict); empty: no limit
  Mebibytes link_budget;                 // from each zone to each other (strict); 0: no limit
};

struct Packed {
  std::vector<Placement> placements;
  WholeQuotas rest;        // that found no room
  bool room_left = false;  // on some node for the least of what all tasks request
  PoolRoom pools;          // after all that is placed
  PromisedRoom promised;
};

// The facts that stay the same however often a plan packs. Keeps references to all arguments.
struct PackingFacts {
  // `first`: portions that go before all others; empty: none do.
  PackingFacts(const SolvedMarket& solved, const CostModel& prices, const IdVector<PortionId, bool>& first = {});

  SolvedMarket market;
  const CostModel& costs;
  Demands demands;
  // The cheapest class first; in it the nodes that are paid for anyway the longest, so that others run empty and go.
  IdVector<NodeId, std::uint32_t> rank;
};

// `free` is each node's free capacity now; tasks placed at 0 are subtracted.
Packed pack(const PackingFacts& facts, WholeQuotas quotas, const PackingSettings& settings,
            IdVector<NodeId, Resources>& free);

}  // namespace lips
