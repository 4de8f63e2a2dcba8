#include "policies/lsap/locality_cost.h"

#include <algorithm>

namespace lips::lsap {

namespace {

constexpr Locality far_levels[] = {Locality::rack, Locality::zone, Locality::remote};

double& at(LevelCosts& costs, Locality level) { return costs.cost[static_cast<std::size_t>(level)]; }

}  // namespace

LevelCosts level_costs(const Network& network, const PolicySettings& settings) {
  LevelCosts costs;
  if (settings.lsap.rack_cost > 0 || settings.lsap.zone_cost > 0 || settings.lsap.remote_cost > 0) {
    costs.per_mebibyte = false;
    at(costs, Locality::rack) = settings.lsap.rack_cost;
    at(costs, Locality::zone) = settings.lsap.zone_cost;
    at(costs, Locality::remote) = settings.lsap.remote_cost;
  } else {
    for (const Locality level : far_levels)
      if (const double bandwidth = network.stream(level).value(); bandwidth > 0) at(costs, level) = 1 / bandwidth;
    if (std::ranges::all_of(costs.cost, [](double cost) { return cost == 0; })) {
      at(costs, Locality::rack) = at(costs, Locality::zone) = 1;
      at(costs, Locality::remote) = 4;
    }
  }
  // The best connected replica is the nearest one.
  at(costs, Locality::zone) = std::max(costs.at(Locality::rack), costs.at(Locality::zone));
  at(costs, Locality::remote) = std::max(costs.at(Locality::zone), costs.at(Locality::remote));
  return costs;
}

LevelCosts uniform_level_costs() {
  LevelCosts costs;
  costs.per_mebibyte = false;
  for (const Locality level : far_levels) at(costs, level) = 1;
  return costs;
}

}  // namespace lips::lsap
