// The bound for plans that start all their tasks now, however long they run. A program over one horizon does not cover
// them: in it, a task longer than the horizon needs more of a class than the class has.
#pragma once

#include <limits>
#include <vector>

#include "policies/lips/market/workload.h"

namespace lips {

// The program's prices besides dollars.
struct Rents {
  IdVector<ClassId, double> cpu, memory, slots;  // USD per CPU-second, MiB-second, slot-second; empty: nothing
  IdVector<PoolId, double> shares;               // USD rebate per CPU-second for a pool; empty: none
  double all_shares = 0;                         // USD if no pool got anything
};

// The work that is asked about, where it may run, and the rents of the program.
struct AtOnceQuestion {
  const ClusterSnapshot& cluster;
  const CostModel& costs;
  const NodeClasses& classes;
  const Workload& workload;
  const Rents& rents;
};

// The highest of the bounds at more rent for every core, from none to several prices of a core-second. The bound is
// concave in the added rent, so the search ends where it falls, or where it is `enough`.
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

// Weak duality: each task pays its dollars plus rent on its request for one horizon, and takes the cheapest class;
// rent on all free capacity is subtracted. This holds for any nonnegative rents: those of the program, and higher ones
// for every core where more tasks wait than may start. The search stops when the bound is `enough`.
double at_once_bound(const AtOnceQuestion& question, double enough);

}  // namespace lips
