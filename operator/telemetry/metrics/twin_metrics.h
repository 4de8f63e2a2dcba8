// The metrics of the twin: the counted invoice beside that of the same work under other policies. Decides nothing.
#pragma once

#include <set>
#include <string>

#include "model/twin_report.h"
#include "telemetry/metrics/metric_registry.h"

namespace lips {

class TwinMetrics {
 public:
  explicit TwinMetrics(MetricRegistry& registry);

  // A comparison has ended: it made the state's report, or failed and `missing` says why.
  void set(const TwinState& state, double seconds, double now);

 private:
  void set(const TwinReport& report);
  void set(const TwinReport& report, const TwinRegime& regime, const std::string& name);

  MetricRegistry& registry_;
  std::set<std::string> regimes_;  // with series
};

}  // namespace lips
