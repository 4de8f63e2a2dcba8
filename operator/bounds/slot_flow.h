// The cheapest schedule of a relaxed run in which each job keeps given shares of its homes, as a least-cost flow. Its
// potentials are good prices of time. Approximate: it groups work of nearly equal cost and rounds amounts.
#pragma once

#include <optional>
#include <vector>

#include "bounds/slot_prices.h"

namespace lips {

// By job and zone: the part of the job that has its home there.
using HomeShares = std::vector<std::vector<double>>;

struct SlotFlow {
  SlotPrices prices;
  double usd = 0;        // dollars + waiting price x waiting of this schedule
  double mean_wait = 0;  // seconds
};

// None where the costs are beyond the solver's range.
std::optional<SlotFlow> cheapest_flow(const RelaxedRun& run, const TimeGrid& grid, const CopyShares& copies,
                                      const HomeShares& shares, double waiting_price);

}  // namespace lips
