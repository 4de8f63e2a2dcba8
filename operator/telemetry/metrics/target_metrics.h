// How far targets are held, and which pools are left alone for it, as metrics.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/pool_use.h"
#include "model/targets.h"
#include "telemetry/metrics/metric_registry.h"

namespace lips {

class TargetMetrics {
 public:
  explicit TargetMetrics(MetricRegistry& registry) : registry_(registry) {}
  // Sets those of all targets; the series of others go.
  void set(const std::vector<TargetReport>& reports);
  void left_alone(const std::string& pool, std::optional<LeftAlone> reason);

 private:
  MetricRegistry& registry_;
  std::set<std::pair<std::string, TargetKind>> known_;  // with series
};

}  // namespace lips
