// How far jobs hold targets of their own, as metrics by pool and as figures of the page.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/own_targets.h"
#include "telemetry/metrics/metric_registry.h"
#include "telemetry/metrics/operator_figures.h"

namespace lips {

class OwnTargetMetrics {
 public:
  explicit OwnTargetMetrics(MetricRegistry& registry) : registry_(registry) {}
  // Sets those of all jobs that wait or run, the worst first; the series of pools without such jobs go.
  void set(const std::vector<OwnTargetReport>& reports, OwnTargetFigures& figures);
  void missed(const std::vector<MissedTarget>& missed);

 private:
  MetricRegistry& registry_;
  std::set<std::pair<std::string, OwnTargetKind>> known_;  // with series, by pool
};

}  // namespace lips
