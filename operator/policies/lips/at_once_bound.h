// The bound for plans that start all their tasks now, however long they run. A program over one horizon does not speak
// of them: a task that is longer than the horizon takes more of a class there than the class has.
#pragma once

#include <limits>
#include <vector>

#include "policies/lips/commodities.h"

namespace lips {

// What the program charges beside the dollars.
struct Rents {
  IdVector<ClassId, double> cpu, memory, slots;  // USD per CPU-second, MiB-second, slot-second; empty: nothing
  IdVector<PoolId, double> shares;               // USD per CPU-second that a pool gets off; empty: nothing
  double all_shares = 0;                         // USD, were no pool given anything
};

// The highest of the bounds at more rent for every core, from none to several prices of a core-second. A bound is
// concave in what is added, so the search ends where it falls, or where it is `enough`.
template <class BoundAt>
double best_with_more_rent(double price, double enough, BoundAt bound_at) {
  double best = -std::numeric_limits<double>::infinity();
  for (const double prices : {0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0}) {
    const double bound = bound_at(prices * price);
    if (bound < best) break;
    best = bound;
    if (best >= enough) break;
  }
  return best;
}

// Weak duality: each task pays its dollars, and for a horizon of what it asks for, and takes the cheapest class; the
// rent of what is free now goes back. That holds for all rents that are not negative: those of the program, and more
// for every core where more tasks wait than may start. No more is looked for when it is `enough`.
double at_once_bound(const ClusterSnapshot& cluster, const CostModel& costs, const NodeClasses& classes,
                     const Workload& workload, const Rents& rents, double enough);

}  // namespace lips
