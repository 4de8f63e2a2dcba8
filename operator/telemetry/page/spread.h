// The spread of a quantity, one row per name: a line from the median to the 95th percentile, with the mean on it.
// Knows nothing of reports.
#pragma once

#include <string>
#include <vector>

#include "telemetry/page/scale.h"

namespace lips::page {

struct Spread {
  std::string name;
  double p50 = 0, mean = 0, p95 = 0;
  std::string value;  // at the end of the row
  bool emphasised = false;
};

std::string render_spreads(const std::vector<Spread>& spreads, const Axis& axis);

}  // namespace lips::page
