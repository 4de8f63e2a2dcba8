#include "cmd/tune/price_curve.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace lips::cmd {

namespace {

using Measure = std::function<double(const CurvePoint&)>;

double dollars_of(const CurvePoint& point) { return point.dollars; }
double wait_of(const CurvePoint& point) { return point.mean_wait; }

bool dominates(const CurvePoint& a, const CurvePoint& b) {
  const bool no_worse = a.dollars <= b.dollars && a.mean_wait <= b.mean_wait && a.completion_mean <= b.completion_mean;
  const bool better = a.dollars < b.dollars || a.mean_wait < b.mean_wait || a.completion_mean < b.completion_mean;
  return no_worse && better;
}

std::vector<std::size_t> candidates(const std::vector<CurvePoint>& points) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].unfinished.empty() && !points[i].dominated) result.push_back(i);
  return result;
}

// Among equal points the present one, else the first: the lowest price of waiting, as points go up.
std::size_t least(const std::vector<CurvePoint>& points, const std::vector<std::size_t>& among,
                  const Measure& measure) {
  return *std::ranges::min_element(among, {},
                                   [&](std::size_t i) { return std::pair(measure(points[i]), !points[i].present); });
}

// A figure of a point as its part of the way from the least to the most of them.
Measure part_of_range(const std::vector<CurvePoint>& points, const std::vector<std::size_t>& among,
                      double (*figure)(const CurvePoint&)) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const std::size_t i : among) low = std::min(low, figure(points[i])), high = std::max(high, figure(points[i]));
  return [=](const CurvePoint& point) { return high > low ? (figure(point) - low) / (high - low) : 0; };
}

// The best by `measure` of those within the limit, else the one that is nearest to it.
PriceChoice within(const std::vector<CurvePoint>& points, const std::vector<std::size_t>& among, const Measure& limited,
                   double limit, const Measure& measure) {
  std::vector<std::size_t> inside;
  for (const std::size_t i : among)
    if (limited(points[i]) <= limit) inside.push_back(i);
  if (inside.empty()) return {least(points, among, limited), false};
  return {least(points, inside, measure), true};
}

}  // namespace

void mark_dominated(std::vector<CurvePoint>& points) {
  for (CurvePoint& point : points)
    point.dominated = point.unfinished.empty() && std::ranges::any_of(points, [&](const CurvePoint& other) {
                        return other.unfinished.empty() && dominates(other, point);
                      });
}

std::optional<PriceChoice> choose(const std::vector<CurvePoint>& points, const Wish& wish) {
  const std::vector<std::size_t> among = candidates(points);
  if (among.empty()) return std::nullopt;
  switch (wish.rule) {
    case ChoiceRule::hour:
      return PriceChoice{least(points, among, [&](const CurvePoint& point) {
        return point.dollars + wish.amount * static_cast<double>(point.jobs) * point.completion_mean / 3600;
      })};
    case ChoiceRule::mean_wait:
      return within(points, among, wait_of, wish.amount, dollars_of);
    case ChoiceRule::budget:
      return within(
          points, among, [](const CurvePoint& point) { return point.dollars_per_day; }, wish.amount, wait_of);
    case ChoiceRule::knee:
      break;
  }
  const Measure dollars = part_of_range(points, among, dollars_of), wait = part_of_range(points, among, wait_of);
  return PriceChoice{least(points, among, [&](const CurvePoint& point) { return dollars(point) + wait(point); })};
}

}  // namespace lips::cmd
