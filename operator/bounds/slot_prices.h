// The value that a Lagrangian bound on a whole run takes at given prices of time: any prices give a valid bound.
#pragma once

#include <cstddef>
#include <vector>

#include "bounds/copy_shares.h"
#include "bounds/relaxed_run.h"
#include "bounds/time_grid.h"

namespace lips {

// The price of a CPU-second in each zone and slot, its time included: the price of capacity there and `waiting_price`
// times the time at which it runs. It is that in the middle of the slot, and changes linearly to the next (PriceCurve).
struct SlotPrices {
  double waiting_price = 0;              // USD per CPU-second and second
  std::vector<std::vector<double>> usd;  // by zone and slot

  // As if no capacity were scarce.
  SlotPrices(const RelaxedRun& run, const TimeGrid& grid, double waiting_price);
  void change_waiting_price(const TimeGrid& grid, double price);  // capacity costs what it did
  // Moves that share of the way to the other prices.
  void approach(const SlotPrices& other, double share);
};

struct DualValue {
  double usd = 0;                  // dollars + waiting price x waiting of every schedule are at least this
  std::vector<std::size_t> homes;  // of each job, the best at these prices
  ReadingThere saves;              // of shared inputs, at these homes
};

// `prices` need not be sensible: whoever may wait for a lower one does, and after the last slot capacity is unlimited.
DualValue dual_value(const RelaxedRun& run, const TimeGrid& grid, const CopyShares& copies, SlotPrices prices);

}  // namespace lips
