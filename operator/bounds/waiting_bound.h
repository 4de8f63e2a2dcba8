// What a whole run must cost at least when its work may wait only so long on average: the clairvoyant bound at equal
// waiting. Looks at no schedule; a Lagrangian bound, so every cut holds whatever the solver found (docs/results.md has
// the derivation).
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
  Duration slot = std::chrono::minutes(5);  // of time; shorter: tighter and slower
  Duration tail = std::chrono::hours(8);    // in slots after the last arrival; later capacity is taken as unlimited
  int rounds = 3;                           // of choosing homes by prices, then prices by a flow
};

// One cut for each waiting price, given in mean prices of a CPU-second per hour of waiting
// (PolicySettings::waiting_price).
Result<std::vector<WaitingCut>> waiting_cuts(const WholeRun& run, std::span<const double> waiting_prices,
                                             const WaitingBoundSettings& settings = {});

// The best that the cuts say of a schedule with that mean wait: work-weighted, from the job's arrival to the task's
// start.
Usd least_dollars_with_mean_wait(const WholeRun& run, std::span<const WaitingCut> cuts, Duration mean_wait);

}  // namespace lips
