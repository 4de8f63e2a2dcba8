// Shares of a whole over time as stacked bands, the first one at the bottom. Knows nothing of reports.
#pragma once

#include <string>
#include <vector>

namespace lips::page {

struct Band {
  std::string name;
  std::vector<double> share;  // 0..1, from times[i] until the next
};

struct AreaChart {
  std::string description;
  std::vector<double> times;  // ascending
  double end = 0;             // of the last share
  double axis_end = 0;        // of the axis, so that several charts compare
  std::vector<Band> bands;    // drawn in the categorical colours, in this order
};

std::string render_area(const AreaChart& chart);

// The time-weighted mean of each share in `bins` equal parts of 0..end.
std::vector<double> resample(const std::vector<double>& times, const std::vector<double>& values, double end,
                             std::size_t bins);

}  // namespace lips::page
