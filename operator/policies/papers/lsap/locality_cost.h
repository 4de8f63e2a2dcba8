// The cost of reading from afar: data locality cost of Guo, Fox and Zhou (MapReduce 2012), formulas (1) and (8). Knows
// no slot and no fairness.
#pragma once

#include "base/enum_array.h"
#include "model/network.h"
#include "model/work.h"
#include "policies/settings.h"

namespace lips::lsap {

// Before the factor alpha. A task without input costs nothing anywhere.
struct LevelCosts {
  EnumArray<Locality, double> cost;  // node and none are 0, the others never fall with distance
  bool per_mebibyte = true;          // times the task's input

  double of(Locality level, Mebibytes input) const {
    return input.value() > 0 || !per_mebibyte ? cost[level] * (per_mebibyte ? input.value() : 1) : 0;
  }
};

// DS / BW by the network's streams, or the settings' costs where one is set. Where no bandwidth is limited: 1 MiB costs
// 1 inside a zone and 4 across, the means of the paper's section 4.3.
LevelCosts level_costs(const Network& network, const PolicySettings& settings);
// One cost for whatever is not local, whatever its size (lsap-uniform-sched).
LevelCosts uniform_level_costs();

}  // namespace lips::lsap
