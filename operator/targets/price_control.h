// Holds one target by the price of waiting: drift plus penalty. What goes beyond the target adds to a debt, what stays
// below it pays back, and the price follows the debt. A value: time is no part of it.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/fields.h"

namespace lips {

inline constexpr double least_waiting_factor = 1.0 / 32, most_waiting_factor = 32;

// A debt makes waiting cheaper (fewer dollars) or dearer (shorter waits).
enum class DebtMakesWaiting : std::uint8_t { cheaper, dearer };

struct PriceControl {
  double debt = 0;  // in days' worth of the target
  static constexpr auto fields = field_names("debt");
  friend bool operator==(const PriceControl&, const PriceControl&) = default;

  // A debt of a day moves the price by exp(gain). It never exceeds what moves the price to its limit, so that a target
  // out of reach leaves nothing to pay back.
  // Nor does it fall below `-credit`, so that what was saved long ago is not spent later.
  void charge(double days, double gain, double credit = 1) {
    const double most = std::log(most_waiting_factor) / gain;
    debt = std::clamp(debt + days, -std::min(credit, most), most);
  }
  double factor(DebtMakesWaiting way, double gain) const {
    return std::exp((way == DebtMakesWaiting::cheaper ? -gain : gain) * debt);
  }
  // The price cannot move any farther towards the target.
  bool exhausted(double gain) const { return debt * gain > std::log(most_waiting_factor) * 0.98; }
};

}  // namespace lips
