#include "bounds/price_curve.h"

#include <algorithm>

namespace lips {

namespace {

constexpr double no_time = 1e-3;  // seconds

// The integral of the positive part of a line from `first` to `last`.
double positive_integral(double first, double last, double length) {
  if (first <= 0 && last <= 0) return 0;
  if (first >= 0 && last >= 0) return length * (first + last) / 2;
  const double most = std::max(first, last);
  return length * most * most / (2 * (most - std::min(first, last)));
}

}  // namespace

PriceCurve::PriceCurve(const TimeGrid& grid, const std::vector<double>& usd) : slot_(grid.slot) {
  const auto add = [&](double second, double price) {
    const double integral =
        knots_.empty() ? 0 : knots_.back().integral + (second - knots_.back().second) * (knots_.back().usd + price) / 2;
    knots_.push_back({second, price, integral});
  };
  add(0, usd.front());
  for (std::size_t k = 0; k < grid.slots; ++k) add(grid.middle(k), usd[k]);
  add(grid.begin(grid.slots), usd[grid.slots]);
}

// The last knot that is not later.
std::size_t PriceCurve::before(double second) const {
  if (second >= knots_.back().second) return knots_.size() - 1;
  return std::min(knots_.size() - 2, static_cast<std::size_t>(second / slot_ + 0.5));
}

double PriceCurve::at(double second) const {
  const std::size_t k = before(second);
  if (k + 1 == knots_.size()) return knots_[k].usd;
  const Knot &from = knots_[k], &to = knots_[k + 1];
  return from.usd + (to.usd - from.usd) * (second - from.second) / (to.second - from.second);
}

double PriceCurve::integral(double second) const {
  const Knot& from = knots_[before(second)];
  return from.integral + (second - from.second) * (from.usd + at(second)) / 2;
}

double PriceCurve::mean(double begin, double duration) const {
  if (duration < no_time) return at(begin);
  return (integral(begin + duration) - integral(begin)) / duration;
}

double PriceCurve::rent(const PriceStep& step, double waiting_price) const {
  double usd = 0;
  const auto above = [&](const Knot& knot) { return knot.usd - step.price - waiting_price * knot.second; };
  for (std::size_t k = 0; k + 1 < knots_.size(); ++k)
    usd += positive_integral(above(knots_[k]), above(knots_[k + 1]), knots_[k + 1].second - knots_[k].second);
  return usd * step.rate;
}

}  // namespace lips
