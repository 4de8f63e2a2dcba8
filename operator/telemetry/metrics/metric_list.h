// Every metric that the operator exposes: name, type, labels, meaning. docs/metrics.md holds the same table, which a
// test compares. Knows no value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lips {

enum class MetricType : std::uint8_t { counter, gauge, histogram };

struct MetricAbout {
  std::string_view name;
  MetricType type;
  std::string_view labels;  // with commas between
  std::string_view help;
};

std::span<const MetricAbout> metric_list();
// The table of docs/metrics.md.
std::string metric_table();

}  // namespace lips
