#include "policies/papers/lsap/locality_cost.h"

#include <algorithm>

namespace lips::lsap {

namespace {

constexpr Locality far_levels[] = {Locality::rack, Locality::zone, Locality::remote};

}  // namespace

LevelCosts level_costs(const Network& network, const PolicySettings& settings) {
  LevelCosts costs;
  if (settings.lsap.rack_cost > 0 || settings.lsap.zone_cost > 0 || settings.lsap.remote_cost > 0) {
    costs.per_mebibyte = false;
    costs.cost[Locality::rack] = settings.lsap.rack_cost;
    costs.cost[Locality::zone] = settings.lsap.zone_cost;
    costs.cost[Locality::remote] = settings.lsap.remote_cost;
  } else {
    for (const Locality level : far_levels)
      if (const double bandwidth = network.stream(level).value(); bandwidth > 0) costs.cost[level] = 1 / bandwidth;
    if (std::ranges::all_of(costs.cost, [](double cost) { return cost == 0; })) {
      costs.cost[Locality::rack] = costs.cost[Locality::zone] = 1;
      costs.cost[Locality::remote] = 4;
    }
  }
  // The best connected replica is the nearest one.
  costs.cost[Locality::zone] = std::max(costs.cost[Locality::rack], costs.cost[Locality::zone]);
  costs.cost[Locality::remote] = std::max(costs.cost[Locality::zone], costs.cost[Locality::remote]);
  return costs;
}

LevelCosts uniform_level_costs() {
  LevelCosts costs;
  costs.per_mebibyte = false;
  for (const Locality level : far_levels) costs.cost[level] = 1;
  return costs;
}

}  // namespace lips::lsap
