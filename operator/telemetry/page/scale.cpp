#include "telemetry/page/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "telemetry/page/numbers.h"

namespace lips::page {
namespace {

using Label = std::string (*)(double);

double decimal_step(double span) {
  const double power = std::pow(10, std::floor(std::log10(span)));
  for (const double factor : {0.1, 0.2, 0.25, 0.5, 1.0, 2.0}) {
    if (span / (power * factor) <= 5.001) return power * factor;
  }
  return power * 2;
}

double time_step(double span, double most) {
  constexpr std::array<double, 24> steps{1,     2,     5,      10,     15,     30,     60,      120,
                                         300,   600,   900,    1800,   3600,   7200,   10800,   21600,
                                         43200, 86400, 172800, 345600, 604800, 864000, 1728000, 2592000};
  if (span < 5) return decimal_step(span);
  for (const double step : steps) {
    if (span / step <= most + 0.001) return step;
  }
  return decimal_step(span / 86400) * 86400;
}

Axis rounded_axis(double low, double high, const std::function<double(double)>& step_of, Label label) {
  if (!(high > 0)) high = 1;
  Axis axis;
  const bool from_zero = low < 0.6 * high;
  double step = step_of(from_zero ? high : std::max(high - low, high * 0.02));
  axis.low = from_zero ? 0 : std::floor(low / step) * step;
  axis.high = std::ceil(high / step - 1e-9) * step;
  if (axis.high <= axis.low) axis.high = axis.low + step;
  for (double value = axis.low; value <= axis.high + step / 2; value += step) {
    axis.ticks.push_back({axis.at(value), label(value)});
  }
  return axis;
}

}  // namespace

double Axis::at(double value) const {
  if (logarithmic) return std::log(value / low) / std::log(high / low);
  return (value - low) / (high - low);
}

Axis dollar_axis(double low, double high) {
  auto axis = rounded_axis(low, high, decimal_step, usd);
  const bool whole = std::all_of(axis.ticks.begin(), axis.ticks.end(), [](const auto& tick) {
    return tick.label.find('.') == std::string::npos || tick.label.ends_with(".00");
  });
  for (auto& tick : axis.ticks) {
    if (whole && tick.label.ends_with(".00")) tick.label.resize(tick.label.size() - 3);
  }
  return axis;
}

Axis duration_axis(double low, double high, double most_ticks) {
  return rounded_axis(
      low, high, [=](double span) { return time_step(span, most_ticks); },
      [](double value) { return value == 0 ? std::string("0") : duration(value); });
}

Axis clock_axis(double end, double most_ticks) {
  Axis axis;
  axis.high = end > 0 ? end : 1;
  const double step = time_step(axis.high, most_ticks);
  for (int i = 0; i * step <= axis.high * 1.0001; ++i)
    axis.ticks.push_back({axis.at(i * step), i == 0 ? "0" : duration(i * step)});
  return axis;
}

Axis epoch_axis(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  Axis axis;
  if (values.empty()) return axis;
  axis.logarithmic = values.front() > 0 && values.back() / values.front() >= 10;
  const double margin =
      axis.logarithmic ? std::pow(values.back() / values.front(), 0.06) : (values.back() - values.front()) * 0.06;
  axis.low = axis.logarithmic ? values.front() / margin : values.front() - margin;
  axis.high = axis.logarithmic ? values.back() * margin : values.back() + margin;
  if (axis.high <= axis.low) axis.low -= 1, axis.high += 1;
  constexpr double room = 0.15;
  for (const double value : values) {
    const double position = axis.at(value);
    const bool crowded = !axis.ticks.empty() && position - axis.ticks.back().position < room;
    if (crowded && value != values.back()) continue;
    if (crowded) axis.ticks.pop_back();
    axis.ticks.push_back({position, epoch(value)});
  }
  return axis;
}

Axis number_axis(double low, double high) {
  const double span = high > low ? high - low : std::max(std::abs(high), 1.0);
  const bool from_zero = low >= 0 && low < 0.6 * high;
  const double step = decimal_step(from_zero ? high : span);
  Axis axis;
  axis.low = from_zero ? 0 : std::floor(low / step + 1e-9) * step;
  axis.high = std::ceil(high / step - 1e-9) * step;
  if (axis.high <= axis.low) axis.high = axis.low + step;
  for (int i = 0; axis.low + i * step <= axis.high + step / 2; ++i) {
    const double value = std::round((axis.low + i * step) / step) * step;
    axis.ticks.push_back({axis.at(value), fmt::format("{:.6g}", value == 0 ? 0.0 : value)});
  }
  return axis;
}

Axis power_axis(double low, double high) {
  Axis axis;
  axis.logarithmic = true;
  axis.low = std::pow(10, std::floor(std::log10(low) + 1e-9));
  axis.high = std::pow(10, std::ceil(std::log10(high) - 1e-9));
  if (axis.high <= axis.low) axis.high = 10 * axis.low;
  for (double value = axis.low; value <= axis.high * 1.001; value *= 10)
    axis.ticks.push_back({axis.at(value), fmt::format("{:.6g}", value)});
  return axis;
}

Axis share_axis() { return {0, 1, false, {{0, "0"}, {0.5, "50 %"}, {1, "100 %"}}}; }

}  // namespace lips::page
