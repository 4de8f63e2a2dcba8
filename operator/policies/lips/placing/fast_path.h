// The fast path: the tasks of a job too small to be worth planning buy their places before the program, from the same
// room and at the same prices as all others (offers.h).
#pragma once

#include <vector>

#include "policies/lips/demand/commodities.h"
#include "policies/lips/placing/packing.h"
#include "policies/policy.h"

namespace lips {

struct FastPathSettings {
  Usd limit;                      // of a job's total CPU at the highest price
  CommoditySettings commodities;  // `skip`: jobs that are served already
  PoolRoom pools = {};
};

// Tasks that start now, as portions and placements of their own; their capacity is removed from `free` and from time
// slot 0. served[job] is set for every small job and every one to skip: tasks that wait do so for room that is cheaper
// for them, ahead of all others. A small job of lower priority than one that is not small is left to the program, and
// so is one that does not fit what its pool is entitled to.
struct FastPath {
  Workload workload;
  std::vector<Placement> placements;
  std::vector<bool> served;
  bool waiting = false;  // a small job found no room now
  PoolRoom pools;        // with these
};

FastPath serve_small_jobs(const PolicyInput& input, FastPathSettings settings, NodeClasses& classes,
                          IdVector<NodeId, Resources>& free);

}  // namespace lips
