// How many nodes each zone has, schedulable or not. Series of zones that are gone move to one common name. Not for
// several threads at once.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "model/snapshot.h"
#include "telemetry/metrics/metric_registry.h"

namespace lips {

class ZoneNodes {
 public:
  explicit ZoneNodes(MetricRegistry& registry) : registry_(registry) {}
  struct Count {
    std::uint64_t all = 0, schedulable = 0;
  };
  // Counts those that are there.
  Count look(const ClusterSnapshot& cluster, bool lists_absent);

 private:
  MetricRegistry& registry_;
  std::set<std::string> zones_;  // with series
};

}  // namespace lips
