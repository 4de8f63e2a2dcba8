// A cluster of one zone, without prices of transfer, to which a bench adds nodes whose GPUs count.
#pragma once

#include <fmt/format.h>

#include <cstdint>

#include "simulation/scenario.h"

namespace lips::bench {

inline constexpr ResourceId gpu{0};

inline simulation::Scenario scenario_of_one_zone(const char* name) {
  simulation::Scenario scenario;
  scenario.name = name;
  ClusterSnapshot& cluster = scenario.cluster;
  cluster.zones.push_back({"zone"});
  cluster.profiles.push_back({});
  cluster.pools.push_back({"default", 1, Cores(0), Cores(0), {}});
  cluster.extended_names.push_back("gpu");
  scenario.costs = uniform_costs(1, UsdPerMebibyte(0));
  // A task that is moved would start anew, and these run for hours.
  scenario.fleet.autoscaler.consolidation = simulation::Consolidation::when_empty;
  return scenario;
}

// So many like it, in that zone. Back: the first.
inline NodeId add_nodes(Node node, std::uint32_t count, ClusterSnapshot& cluster) {
  const NodeId first(static_cast<std::uint32_t>(cluster.nodes.size()));
  node.zone = ZoneId(0);
  node.profile = ProfileId(0);
  node.cpu_price = full_packing_price(node.price, node.capacity.cpu, node.speed);
  for (std::uint32_t i = 0; i < count; ++i) {
    node.name = fmt::format("{}-{}", node.instance_type, i);
    cluster.nodes.push_back(node);
  }
  return first;
}

}  // namespace lips::bench
