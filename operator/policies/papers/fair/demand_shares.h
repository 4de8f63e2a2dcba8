// Mechanism 2 of the modified fair scheduler (section 3.2): free slots go to pools in proportion to their pending
// tasks. Pure.
#pragma once

#include <vector>

#include "policies/settings.h"

namespace lips::fair {

struct PoolDemand {
  double pending = 0;  // slots that its waiting tasks ask for
  double running = 0;  // slots in use
  double maximum = 0;  // maxAllocated; 0: none
};

// Whole slots by largest remainder; slots above a pool's maximum go to the others in proportion.
std::vector<double> split_by_demand(double slots, const std::vector<PoolDemand>& pools);

// Slots that each pool may use: its running ones and its part of the free slots, or its part of all slots.
std::vector<double> demand_shares(double free, const std::vector<PoolDemand>& pools, ShareBase base);

}  // namespace lips::fair
