#include "policies/lips/supply/queue_charge.h"

#include <algorithm>

#include "model/launch_room.h"

namespace lips {

namespace {

CpuSeconds expected_within(const ClusterSnapshot& cluster, Duration reach) {
  CpuSeconds work;
  for (const ExpectedWork& expected : cluster.expected)
    if (expected.counts(cluster.now, reach)) work += expected.work * expected.chance;
  return work;
}

}  // namespace

double queue_charge(const ClusterSnapshot& cluster, double work_rate, Duration reach) {
  const bool grows = std::any_of(cluster.offers.begin(), cluster.offers.end(),
                                 [&](const Offer& offer) { return nodes_left(cluster, offer) > 0; });
  if (grows || work_rate <= 0) return 1;
  const double named = reach > Duration(0) ? expected_within(cluster, reach).value() / to_seconds(reach) : 0;
  const double load = std::max(0.0, cluster.arrivals.rate(cluster.now) - named) / work_rate;
  return 1 / (1 - std::min(load, 1 - 1 / most_queue_charge));
}

}  // namespace lips
