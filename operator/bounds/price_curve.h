// The price of a CPU-second over time in one zone: linear between the middles of time slots.
#pragma once

#include <vector>

#include "bounds/relaxed_run.h"
#include "bounds/time_grid.h"

namespace lips {

class PriceCurve {
 public:
  // `usd`: by time slot. The last value is that of the rest of time, from its begin.
  PriceCurve(const TimeGrid& grid, const std::vector<double>& usd);

  // Over `duration` seconds from `begin` on; the price at that second where it takes no time.
  double mean(double begin, double duration) const;
  // The earnings of the capacity of one price step beyond its own price: the integral of max(0, usd - price - waiting
  // price x time).
  double rent(const PriceStep& step, double waiting_price) const;

 private:
  struct Knot {
    double second, usd, integral;  // of the price from the start to that second
  };
  std::size_t before(double second) const;
  double at(double second) const;
  double integral(double second) const;

  double slot_;
  std::vector<Knot> knots_;
};

}  // namespace lips
