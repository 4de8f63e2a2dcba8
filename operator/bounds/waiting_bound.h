// A lower bound on the cost of a whole run whose mean wait is limited: the clairvoyant bound at equal waiting. Looks at
// no schedule. The bound is Lagrangian: every cut holds whatever the solver found (docs/results.md derives it).
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "bounds/whole_run.h"

namespace lips {

// Every schedule that finishes all jobs has dollars + price x waiting >= least, where waiting is the sum over all tasks
// of their true work x (start of the attempt that finished - arrival of their job).
struct WaitingCut {
  double price = 0;  // USD per CPU-second and second
  Usd least;
};

struct WaitingBoundSettings {
  Duration slot = std::chrono::minutes(5);  // a shorter time slot is tighter and slower
  Duration tail = std::chrono::hours(8);    // slots after the last arrival; later capacity counts as unlimited
  int rounds = 3;                           // each chooses homes by prices, then prices by a flow
};

// One cut for each waiting price, given in mean prices of a CPU-second per hour of waiting
// (PolicySettings::waiting_price).
Result<std::vector<WaitingCut>> waiting_cuts(const WholeRun& run, std::span<const double> waiting_prices,
                                             const WaitingBoundSettings& settings = {});

// The highest bound that the cuts give for that mean wait (from the arrival of a job to the start of its task, weighted
// by work).
Usd least_dollars_with_mean_wait(const WholeRun& run, std::span<const WaitingCut> cuts, Duration mean_wait);

}  // namespace lips
