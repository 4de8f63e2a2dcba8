// The class form: one linear program of units against classes where a selector, memory, a pool, a link or shared data binds,
// and units against zones where nothing does. Columns are generated from a greedy start; the bound counts those left out.
#pragma once

#include "base/result.h"
#include "policies/lips/amounts.h"
#include "policies/lips/units.h"

namespace lips {

struct PoolRow {
  PoolId pool;
  double least = 0, most = 0;   // work in the horizon; most 0: no maximum
  double shortfall_price = 0;   // USD per CPU-second below `least`; 0: `least` is not counted
};

struct ClassFormSettings {
  double horizon = 0;           // seconds, for links
  std::vector<PoolRow> pools;
  double good_enough = 1e-4;    // certified gap at which no more columns are sought
  std::int64_t max_iterations = 2'000'000;
};

// More units than this are first merged into coarse ones of nearly equal costs; the coarse program's prices then give every
// true unit's bound, and its amounts are dealt to the true units.
inline constexpr std::size_t most_units = 1500;

// Falls back to a greedy plan when the solver gives none; amounts.fell_back says so.
Amounts solve_class_form(const ClusterSnapshot& cluster, const CostModel& costs, const NodeClasses& classes, const Units& units,
                         const ClassFormSettings& settings);

// Each unit in turn to the cheapest room left.
Amounts greedy_amounts(const ClusterSnapshot& cluster, const NodeClasses& classes, const Units& units);

}  // namespace lips
