// How many nodes have no known price, by instance type. Not for several threads at once.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "telemetry/metrics/metric_registry.h"

namespace lips {

class UnknownPrices {
 public:
  explicit UnknownPrices(MetricRegistry& registry) : registry_(registry) {}
  void note(std::string_view node, std::string_view instance_type, bool unknown);

 private:
  MetricRegistry& registry_;
  std::map<std::string, std::string, std::less<>> types_;  // by node
};

}  // namespace lips
