// Mechanism 2 of the modified fair scheduler (section 3.2): free slots go to pools in proportion to what is pending
// there. Pure.
#pragma once

#include <vector>

#include "policies/settings.h"

namespace lips::fair {

struct PoolDemand {
  double pending = 0;  // slots that its waiting tasks ask for
  double running = 0;  // slots in use
  double maximum = 0;  // maxAllocated; 0: none
};

// Whole slots by largest remainder; what a pool cannot take because of its maximum goes to the others in proportion.
std::vector<double> split_by_demand(double slots, const std::vector<PoolDemand>& pools);

// What each pool may have in use: what runs there and its part of the free slots, or its part of all slots.
std::vector<double> demand_shares(double free, const std::vector<PoolDemand>& pools, ShareBase base);

}  // namespace lips::fair
