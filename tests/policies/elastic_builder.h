// Clusters of four-core nodes that an autoscaler launches.
#pragma once

#include "tests/policies/snapshot_builder.h"

namespace lips::testing {

class ElasticBuilder : public ClusterBuilder {
 public:
  using ClusterBuilder::ClusterBuilder;

  OfferId offer(ZoneId zone, double usd_an_hour, std::uint32_t left = 1000) {
    const NodeId like = elastic_node(zone, usd_an_hour);
    start.nodes[like].schedulable = false;
    return start.offers.push_back({like, left, seconds(40), seconds(20), 0});
  }
  // Which all offers so far share.
  void limit_to(const LaunchLimit& limit) {
    const LimitId within = start.launch_limits.push_back(limit);
    for (Offer& offer : start.offers) offer.within = within;
  }
  // One that is there.
  NodeId elastic_node(ZoneId zone, double usd_an_hour) {
    const NodeId id = node({.zone = zone, .slots = 4, .cpu = 4});
    Node& node = start.nodes[id];
    node.fleet = FleetKind::elastic;
    node.price = UsdPerHour(usd_an_hour);
    node.cpu_price = full_packing_price(node.price, node.capacity.cpu, node.speed);
    return id;
  }
};

}  // namespace lips::testing
