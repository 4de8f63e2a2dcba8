// The worth of a wait to the user.
#pragma once

#include <algorithm>

#include "model/snapshot.h"
#include "policies/settings.h"

namespace lips {

// By invoice, while all nodes are fixed and none can be bought.
inline bool all_paid_anyway(const ClusterSnapshot& cluster, const LipsSettings& settings) {
  return settings.billing == Billing::invoice && cluster.offers.empty() &&
         std::none_of(cluster.nodes.begin(), cluster.nodes.end(),
                      [](const Node& node) { return node.fleet == FleetKind::elastic; });
}

// The price of an hour's wait of a CPU-second, in mean prices of a CPU-second. Unset: 8 where all is paid anyway;
// otherwise 1.
inline double waiting_price(const ClusterSnapshot& cluster, const LipsSettings& settings) {
  return settings.waiting_price.value_or(all_paid_anyway(cluster, settings) ? 8 : 1);
}

// Core-hours by which a job's wait counts beside the work of it that waits. Unset: 2 by invoice where nodes come and
// go; otherwise 0.
inline double waiting_per_job(const ClusterSnapshot& cluster, const LipsSettings& settings) {
  if (settings.waiting_per_job) return *settings.waiting_per_job;
  return settings.billing == Billing::invoice && !all_paid_anyway(cluster, settings) ? 2 : 0;
}

}  // namespace lips
