#include "policies/lips/queue_charge.h"

#include <algorithm>

namespace lips {

double queue_charge(const ClusterSnapshot& cluster, double work_rate) {
  const bool grows =
      std::any_of(cluster.offers.begin(), cluster.offers.end(), [](const Offer& offer) { return offer.left > 0; });
  if (grows || work_rate <= 0) return 1;
  const double load = cluster.arrivals.rate(cluster.now) / work_rate;
  return 1 / (1 - std::min(load, 1 - 1 / most_queue_charge));
}

}  // namespace lips
