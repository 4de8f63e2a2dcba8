#include "simulation/scenario.h"

#include <map>
#include <tuple>

#include "base/random.h"

namespace lips::simulation {

namespace {

void misprice(double error, std::uint64_t seed, ClusterSnapshot& cluster) {
  std::map<std::tuple<std::string, ZoneId, CapacityType>, double> factors;
  Random random(seed);
  for (Node& node : cluster.nodes) {
    const auto [known, added] = factors.try_emplace({node.instance_type, node.zone, node.capacity_type}, 1.0);
    if (added) known->second = random.uniform() < 0.5 ? 1 - error : 1 + error;
    node.price *= known->second;
    node.cpu_price *= known->second;
  }
}

}  // namespace

ClusterSnapshot Scenario::at_start() const {
  ClusterSnapshot start = before_purchases(cluster, fleet);
  if (price_error > 0) misprice(price_error, seed, start);
  return start;
}

}  // namespace lips::simulation
