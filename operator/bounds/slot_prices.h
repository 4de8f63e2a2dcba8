// The value that a Lagrangian bound on a whole run takes at given prices of time: any prices give a valid bound.
#pragma once

#include <cstddef>
#include <vector>

#include "base/units.h"
#include "bounds/relaxed_run.h"

namespace lips {

// Time in slots of equal length; after the last of them the rest of time, which counts as one more.
struct TimeGrid {
  double slot = 0;  // seconds
  std::size_t slots = 0;

  TimeGrid(const RelaxedRun& run, Duration slot_length, Duration tail);
  std::size_t slot_of(double second) const;
  double begin(std::size_t k) const { return slot * static_cast<double>(k); }
  double middle(std::size_t k) const { return begin(k) + slot / 2; }
};

// What a CPU-second costs in each zone and slot, its time included: the price of capacity there and `waiting_price`
// times the time at which it runs. Constant within a slot, so that what runs at its end finds cheaper capacity.
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
};

// `prices` need not be sensible: whoever may wait for a lower one does, and after the last slot capacity is unlimited.
DualValue dual_value(const RelaxedRun& run, const TimeGrid& grid, SlotPrices prices);

}  // namespace lips
