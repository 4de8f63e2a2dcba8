// Lines through points, one per name, which differ in colour, dashes and the shape of their points. Knows nothing of
// reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "telemetry/page/scale.h"

namespace lips::page {

struct Point {
  double x = 0, y = 0;
  std::string tip;
};

struct Line {
  std::string name;
  std::vector<Point> points;  // x ascending
};

// last: a mark at the end of each line alone, for lines of many points.
enum class LineMarks : std::uint8_t { every, last };

struct LineChart {
  std::string description;
  std::vector<Line> lines;
  Axis x, y;
  std::string x_title;
  LineMarks marks = LineMarks::every;
};

std::string render_lines(const LineChart& chart);

}  // namespace lips::page
