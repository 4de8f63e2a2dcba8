// Shares of the cluster by pool, as metrics, and since when each pool is below its share. From the account of a plan.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/plan.h"
#include "model/pool_use.h"
#include "telemetry/metrics/metric_registry.h"

namespace lips {

class SharingMetrics {
 public:
  explicit SharingMetrics(MetricRegistry& registry) : registry_(registry) {}
  // Shows a plan of that moment, and removes the series of pools that it does not name. Empty: the policy has no
  // shares.
  void set(const std::vector<PoolSharing>& pools, TimePoint now);
  // The pool in the last plan. None: it had no share there.
  std::optional<PoolStanding> of(const std::string& pool) const;

 private:
  MetricRegistry& registry_;
  std::map<std::string, PoolStanding> pools_;  // with series
};

}  // namespace lips
