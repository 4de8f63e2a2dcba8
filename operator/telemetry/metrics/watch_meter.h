// Counts what pods of other schedulers cost, and would have cost where LiPS would have put them, by namespace. Any
// thread may call. Knows no plan.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "model/watched_dollars.h"
#include "telemetry/metrics/metric_registry.h"

namespace lips {

class WatchMeter {
 public:
  // Namespaces with series of their own; later ones share the label `_other`.
  static constexpr std::size_t most_namespaces = 200;
  static constexpr const char* others = "_other";

  explicit WatchMeter(MetricRegistry& registry) : registry_(registry) {}

  void count(const WatchedEnd& end);
  std::vector<std::pair<std::string, WatchedSum>> by_namespace() const;

 private:
  MetricRegistry& registry_;
  mutable std::mutex mutex_;
  std::map<std::string, WatchedSum> sums_;
};

}  // namespace lips
