// Entitlement and use of each pool, integrated over a run.
#pragma once

#include <optional>
#include <vector>

#include "model/entitlements.h"
#include "model/snapshot.h"
#include "simulation/metrics_series.h"
#include "simulation/run_result.h"

namespace lips::simulation {

class FairnessRecorder {
 public:
  explicit FairnessRecorder(const ClusterSnapshot& cluster);
  // `tasks` more of the pool, or fewer, that may run or are running.
  void change_demand(PoolId pool, const Resources& request, double tasks, Duration now);
  void change_used(PoolId pool, const Resources& request, double tasks, Duration now);
  Fairness finish(Duration end);

 private:
  void advance(Duration now);

  struct Recorded {
    double used = 0, entitled = 0;  // shares of the dominant resource times seconds
    std::optional<Duration> below_since;
    Duration longest_below{};
  };

  IdVector<PoolId, Pool> pools_;
  ResourceAmounts capacity_;
  IdVector<PoolId, PoolClaim> claims_;
  IdVector<PoolId, Entitlement> share_;
  IdVector<PoolId, Recorded> recorded_;
  bool shares_old_ = true;
  Duration now_{};
  SeriesRecorder series_;
};

}  // namespace lips::simulation
