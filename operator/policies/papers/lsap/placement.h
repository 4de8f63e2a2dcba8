// The assignment problem of a wave, and its solution: as a flow through racks or zones where the costs allow, else
// dense. Knows costs, not why they are so.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/papers/lsap/locality_cost.h"
#include "policies/papers/lsap/wave.h"

namespace lips::lsap {

struct TaskCost {
  EnumArray<Locality, double> at;  // FC + DLC
  double credit = 0;               // for having waited: whether it is chosen, not where it goes
};

struct Placed {
  std::size_t task = 0, node = 0;  // in the wave
  double cost = 0;
};

enum class SolvedAs : std::uint8_t {
  tiered,          // exact
  dense,           // exact
  tiered_by_kind,  // too large for dense, and not every task may take every slot: kinds one after another, the
                   // choosiest first
};

struct Placing {
  std::vector<Placed> placed;  // min(tasks, slots) where eligibility lets it; cheapest first, then in the wave's order
  SolvedAs solved_as = SolvedAs::tiered;
  bool exact = true;  // but for rounding costs to millionths of the largest
};

// Up to so many pairs of task and slot are solved as they are where the costs are not tiered.
inline constexpr std::uint64_t most_dense_pairs = 1u << 22;

// `levels` says which levels cost the same; costs[i] belongs to wave.tasks[i].
Placing solve_placement(const ClusterSnapshot& cluster, const Wave& wave, const LevelCosts& levels,
                        const std::vector<TaskCost>& costs, std::uint64_t dense_pairs);

// Says whether the flow goes through racks: a rack's costs differ from its zone's, and other racks of the zone cost as
// much as other zones, or there is one zone.
bool grouped_by_rack(const ClusterSnapshot& cluster, const LevelCosts& levels);

}  // namespace lips::lsap
