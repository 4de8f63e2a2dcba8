// The time slots of a bound on a whole run.
#pragma once

#include <cstddef>

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

}  // namespace lips
