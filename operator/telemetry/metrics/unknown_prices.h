// How many nodes have no known price, by instance type. Not for several threads at once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "telemetry/metrics/metric_registry.h"

namespace lips {

class UnknownPrices {
 public:
  explicit UnknownPrices(MetricRegistry& registry) : registry_(registry) {}
  void note(std::string_view node, std::string_view instance_type, bool unknown);
  std::vector<std::pair<std::string, std::uint64_t>> by_type() const;

 private:
  MetricRegistry& registry_;
  std::map<std::string, std::string, std::less<>> types_;  // by node
};

}  // namespace lips
