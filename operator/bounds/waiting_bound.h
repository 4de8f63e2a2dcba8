// A lower bound on the cost of a whole run whose mean wait is limited: the clairvoyant bound at equal waiting. Looks at
// no schedule. The bound is Lagrangian: every cut holds whatever the solver found (docs/results.md derives it).
#pragma once

#include <array>
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

// Waiting prices whose cuts leave little between them, as of waiting_cuts.
inline constexpr std::array usual_waiting_prices = {0.0,  0.04, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2,
                                                    0.25, 0.3,  0.45, 0.7,  1.4, 3.0,  7.0,  15.0};

struct WaitingBoundSettings {
  Duration slot = std::chrono::minutes(5);  // a shorter time slot is tighter and slower
  Duration tail = std::chrono::hours(8);    // slots after the last arrival; later capacity counts as unlimited
  int rounds = 3;                           // each moves prices and the homes of jobs towards each other
};

// One cut for each waiting price, given in mean prices of a CPU-second per hour of waiting
// (PolicySettings::waiting_price).
Result<std::vector<WaitingCut>> waiting_cuts(const WholeRun& run, std::span<const double> waiting_prices,
                                             const WaitingBoundSettings& settings = {});

// The highest bound that the cuts give for that mean wait (from the arrival of a job to the start of its task, weighted
// by work).
Usd least_dollars_with_mean_wait(const WholeRun& run, std::span<const WaitingCut> cuts, Duration mean_wait);

struct TightBound {
  Usd least;    // certified; never below what the cuts give
  Usd relaxed;  // the cheapest schedule of divisible work with that mean wait that was found: no bound of this kind is
                // higher. Not certified, and zero where none was found or jobs read the same data
};

// Finds the waiting price that gives most for that mean wait, beside the best of the cuts, in many rounds.
Result<TightBound> tight_bound(const WholeRun& run, std::span<const WaitingCut> cuts, Duration mean_wait,
                               const WaitingBoundSettings& settings = {});

}  // namespace lips
