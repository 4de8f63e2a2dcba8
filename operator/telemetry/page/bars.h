// Horizontal bars, one row per name, stacked if a row has several segments. Knows nothing of reports.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/page/html.h"

namespace lips::page {

struct Segment {
  double value = 0;
  std::size_t series = 0;
  std::string inside;  // written into the segment where it is wide enough
  std::string tip;
};

struct Bar {
  std::string name;
  std::vector<Segment> segments;
  std::string value;  // at the end of the row
  bool emphasised = false;
};

struct Mark {
  std::string label;
  double value = 0;
};

struct BarChart {
  std::vector<Series> series;
  std::vector<Bar> bars;
  double maximum = 1;  // the value that fills the row
  std::optional<Mark> reference;
  bool legend = true;
};

std::string render_bars(const BarChart& chart);

}  // namespace lips::page
