// The fast path: a job too small to be worth planning goes at once to the free slot of least CPU plus transfer.
#pragma once

#include <vector>

#include "policies/lips/demand/commodities.h"
#include "policies/lips/placing/packing.h"
#include "policies/policy.h"

namespace lips {

struct FastPathSettings {
  Usd limit;  // of a job's total CPU at the highest price
  CopyPricing copies = CopyPricing::none;
  std::vector<bool> skip = {};              // [job] already served; empty: none
  IdVector<PoolId, Cores> pool_cores = {};  // in use; empty: as in the snapshot
};

// Tasks that start now, as portions and placements of their own; their capacity is removed from `free` and from time
// slot 0. served[job] is set for every small job and every one to skip: tasks without a slot wait for one, ahead of all
// others.
struct FastPath {
  Workload workload;
  std::vector<Placement> placements;
  std::vector<bool> served;
  bool waiting = false;                // a small job found no slot
  IdVector<PoolId, Cores> pool_cores;  // in use, with these
};

FastPath serve_small_jobs(const PolicyInput& input, const FastPathSettings& settings, NodeClasses& classes,
                          IdVector<NodeId, Resources>& free);

}  // namespace lips
