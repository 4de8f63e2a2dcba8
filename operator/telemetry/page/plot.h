// The frame of a plot: axis labels as text around a drawing that stretches with the page. Knows nothing of reports.
#pragma once

#include <string>

#include "telemetry/page/scale.h"

namespace lips::page {

struct Plot {
  std::string description;  // read out in place of the drawing
  Axis x, y;
  std::string drawing;  // SVG content, places in per cent, y downwards
  std::string labels;   // HTML laid over the drawing
  std::string x_title;
  std::string css_class;
};

std::string render_plot(const Plot& plot);

// A path in the plot's whole area, with x and y in 0..1000, y downwards.
std::string stretched(const std::string& paths);

}  // namespace lips::page
