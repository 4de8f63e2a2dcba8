// What the nodes of a running cluster cost, used or not: the largest part of the invoice. Between two looks at the
// cluster its nodes count as they were at the first.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "model/snapshot.h"
#include "telemetry/metrics/metric_registry.h"

namespace lips {

class NodeMeter {
 public:
  explicit NodeMeter(MetricRegistry& registry) : registry_(registry) {}

  void look(const ClusterSnapshot& cluster, TimePoint now);
  void count_until(TimePoint now);
  Usd dollars() const { return dollars_; }  // of all, so far
  // Another replica counts from now on.
  void stop(TimePoint now);

 private:
  struct Rate {
    UsdPerHour dollars;
    Cores cores;
  };
  MetricRegistry& registry_;
  std::optional<TimePoint> counted_;
  std::map<std::pair<std::string, CapacityType>, Rate> rates_;  // by zone
  Cores held_;
  Usd dollars_;
};

}  // namespace lips
