#include "telemetry/page/area.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "telemetry/page/html.h"
#include "telemetry/page/plot.h"

namespace lips::page {
namespace {

constexpr std::size_t bins = 160;

using Levels = std::vector<double>;

std::string band_path(const Levels& low, const Levels& high, double width) {
  const double step = width * 1000 / bins;
  const auto y = [](double level) { return 1000 - 1000 * std::clamp(level, 0.0, 1.0); };
  std::string path = fmt::format("M0 {:.0f}", y(high.front()));
  for (std::size_t i = 0; i < bins; ++i) {
    if (i == 0 || high[i] != high[i - 1]) path += fmt::format("V{:.0f}", y(high[i]));
    if (i + 1 == bins || high[i] != high[i + 1]) path += fmt::format("H{:.1f}", step * static_cast<double>(i + 1));
  }
  for (std::size_t i = bins; i-- > 0;) {
    if (i + 1 == bins || low[i] != low[i + 1]) path += fmt::format("V{:.0f}", y(low[i]));
    if (i == 0 || low[i] != low[i - 1]) path += fmt::format("H{:.1f}", step * static_cast<double>(i));
  }
  return path + "Z";
}

// Writes the name of the band where it stays thickest for a while; nothing if it is thin everywhere.
std::string band_label(const Band& band, const Levels& low, const Levels& high, double width) {
  constexpr std::size_t window = bins / 5;
  std::size_t best = 0;
  double thickest = 0;
  for (std::size_t from = 0; from + window <= bins; ++from) {
    double bottom = 0, top = 1;
    for (std::size_t i = from; i < from + window; ++i) {
      bottom = std::max(bottom, low[i]);
      top = std::min(top, high[i]);
    }
    if (top - bottom > thickest + 1e-9) {
      thickest = top - bottom;
      best = from;
    }
  }
  if (thickest < 0.13 || band.name.size() > 16) return "";
  double bottom = 0, top = 1;
  for (std::size_t i = best; i < best + window; ++i) {
    bottom = std::max(bottom, low[i]);
    top = std::min(top, high[i]);
  }
  const double x = std::clamp(width * (static_cast<double>(best) + window / 2.0) / bins, 0.15, 0.85);
  return "<span class=\"tag\" aria-hidden=\"true\" style=\"left:" + along(x) + ";top:" + along(1 - (bottom + top) / 2) +
         "\">" + escape(band.name) + "</span>";
}

}  // namespace

std::vector<double> resample(const std::vector<double>& times, const std::vector<double>& values, double end,
                             std::size_t count) {
  std::vector<double> sums(count, 0);
  const double width = end / static_cast<double>(count);
  const auto known = std::min(times.size(), values.size());
  if (!(width > 0)) return sums;
  for (std::size_t i = 0; i < known; ++i) {
    const double from = std::clamp(times[i], 0.0, end), to = i + 1 < known ? std::clamp(times[i + 1], 0.0, end) : end;
    if (!(from < to) || !std::isfinite(values[i])) continue;
    for (auto bin = static_cast<std::size_t>(from / width); bin < count && static_cast<double>(bin) * width < to;
         ++bin) {
      const double low = std::max(from, static_cast<double>(bin) * width);
      const double high = std::min(to, static_cast<double>(bin + 1) * width);
      if (high > low) sums[bin] += values[i] * (high - low) / width;
    }
  }
  return sums;
}

std::string render_area(const AreaChart& chart) {
  std::string paths, labels;
  const double width = chart.axis_end > 0 ? std::min(chart.end / chart.axis_end, 1.0) : 1;
  Levels low(bins, 0);
  for (std::size_t i = 0; i < chart.bands.size(); ++i) {
    Levels high = resample(chart.times, chart.bands[i].share, chart.end, bins);
    for (std::size_t bin = 0; bin < bins; ++bin) high[bin] += low[bin];
    paths += "<path class=\"band " + categorical("", i).css_class + "\" d=\"" + band_path(low, high, width) +
             "\"><title>" + escape(chart.bands[i].name) + "</title></path>";
    labels += band_label(chart.bands[i], low, high, width);
    low = std::move(high);
  }
  return render_plot(
      {chart.description, clock_axis(chart.axis_end), share_axis(), stretched(paths), labels, "", "short"});
}

}  // namespace lips::page
