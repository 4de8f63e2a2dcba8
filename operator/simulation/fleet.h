// The nodes that an autoscaler may launch in a scenario, and its settings. A value; knows no cluster.
#pragma once

#include <cstdint>
#include <ranges>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "model/node_removal.h"
#include "model/snapshot.h"

namespace lips::simulation {

// One instance type in one zone, spot or on demand. Its nodes have places among the cluster's nodes, all with the same
// properties; an empty place is not a node.
struct NodeOffer {
  NodeId first;
  std::uint32_t limit = 0;   // of nodes at once
  Duration boot{};           // from the launch until tasks may start; billed
  double interruptions = 0;  // per node and hour; Poisson
  LimitId within = {};

  // The places of its nodes, empty or not.
  auto places() const {
    return std::views::iota(first.index(), first.index() + limit) |
           std::views::transform([](std::uint32_t index) { return NodeId(index); });
  }
};

enum class Consolidation : std::uint8_t { never, when_empty, when_empty_or_underutilized };

// Karpenter's settings, by Karpenter's names and defaults where it has them.
struct AutoscalerSettings {
  Duration batch_idle = std::chrono::seconds(1);
  Duration batch_most = std::chrono::seconds(10);
  Duration retry = std::chrono::seconds(10);       // while pods still wait
  Duration nomination = std::chrono::seconds(20);  // a node that a pod waits for stays that long
  Consolidation consolidation = Consolidation::when_empty_or_underutilized;
  Duration consolidate_after{};  // since a pod last came or went
  Duration poll = NodeRemoval{}.poll;
  Duration validation = NodeRemoval{}.validation;  // a candidate for removal must still be one after it
  Duration termination{};                          // of the machine, once its node is removed; billed
  bool bills_nodes_left = false;                   // at the end of the run, until they would be removed
  double budget = 0.1;                             // share of the elastic nodes, rounded up, that may go at once
  Duration notice = std::chrono::minutes(2);       // before an interruption
};

// No spot node can be launched in the zone, and those that run there get notice when it begins.
struct SpotOutage {
  ZoneId zone;
  TimePoint from{}, until{};
};

inline constexpr Duration longest_idle = std::chrono::hours(24);

struct Fleet {
  std::vector<NodeOffer> offers;
  LaunchLimits limits;  // while no node is there
  AutoscalerSettings autoscaler;
  std::vector<SpotOutage> outages;
};

// How long an empty node is billed, as far as that is known beforehand.
inline Duration idle_time(const AutoscalerSettings& settings) {
  if (settings.consolidation == Consolidation::never) return longest_idle;
  return NodeRemoval{settings.poll, settings.validation, settings.termination}.time_empty(settings.consolidate_after);
}

// The cluster before any launch.
inline ClusterSnapshot before_purchases(ClusterSnapshot cluster, const Fleet& fleet) {
  const Duration idle = idle_time(fleet.autoscaler);
  cluster.launch_limits = fleet.limits;
  for (const NodeOffer& offer : fleet.offers) {
    cluster.offers.push_back({offer.first, offer.limit, offer.boot, idle, offer.interruptions, offer.within});
    for (const NodeId node : offer.places()) cluster.nodes[node].schedulable = false;
  }
  return cluster;
}

}  // namespace lips::simulation
