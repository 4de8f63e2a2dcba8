#include "telemetry/metrics/metric_list.h"

#include <fmt/format.h>

#include "base/enum_array.h"

namespace lips {

std::string metric_table() {
  constexpr EnumArray<MetricType, std::string_view> type_names{"counter", "gauge", "histogram"};
  std::string out = "| metric | type | labels | meaning |\n|---|---|---|---|\n";
  for (const MetricAbout& metric : metric_list)
    out += fmt::format("| `{}` | {} | {} | {} |\n", metric.name, type_names[metric.type], metric.labels, metric.help);
  return out;
}

}  // namespace lips
