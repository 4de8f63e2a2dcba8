#include "policies/lips/supply/queue_charge.h"

#include <algorithm>

#include "model/launch_room.h"

namespace lips {

namespace {

double work_of(const ClusterSnapshot& cluster, const CountedWork& counted) {
  double work = 0;
  for (std::size_t i = 0; i < counted.chances.size(); ++i) work += counted.work(cluster, i);
  return work;
}

}  // namespace

double queue_charge(const ClusterSnapshot& cluster, double work_rate, const CountedWork& expected) {
  const bool grows = std::any_of(cluster.offers.begin(), cluster.offers.end(),
                                 [&](const Offer& offer) { return nodes_left(cluster, offer) > 0; });
  if (grows || work_rate <= 0) return 1;
  const double named = expected.chances.empty() ? 0 : work_of(cluster, expected) / to_seconds(expected.reach);
  const double load = std::max(0.0, cluster.arrivals.rate(cluster.now) - named) / work_rate;
  return 1 / (1 - std::min(load, 1 - 1 / most_queue_charge));
}

}  // namespace lips
