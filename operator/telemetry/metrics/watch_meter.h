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

  // All changes of a look. Counters only rise: a correction downwards waits until more is due.
  void count(const std::vector<WatchedChange>& changes);
  std::vector<std::pair<std::string, WatchedSum>> by_namespace() const;

 private:
  struct Namespace {
    WatchedSum sum;
    WatchedDollars told_actual, told_planned;  // by the counters
  };
  void tell(const std::string& name_space, Namespace& known);

  MetricRegistry& registry_;
  mutable std::mutex mutex_;
  std::map<std::string, Namespace> namespaces_;
};

}  // namespace lips
