// What an hour's wait of a CPU-second is worth to the user, in mean prices of a CPU-second.
#pragma once

#include <algorithm>

#include "model/snapshot.h"
#include "policies/settings.h"

namespace lips {

// The setting. Where it is unset: 8 by invoice while all nodes are fixed and none can be bought, for these are paid for
// whatever waits; otherwise 1.
inline double waiting_price(const ClusterSnapshot& cluster, const LipsSettings& settings) {
  if (settings.waiting_price) return *settings.waiting_price;
  const auto goes = [](const Node& node) { return node.fleet == FleetKind::elastic; };
  const bool paid_anyway = settings.billing == Billing::invoice && cluster.offers.empty() &&
                           std::none_of(cluster.nodes.begin(), cluster.nodes.end(), goes);
  return paid_anyway ? 8 : 1;
}

}  // namespace lips
