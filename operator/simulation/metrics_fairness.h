// Entitlement and use of each pool, integrated over a run.
#pragma once

#include <vector>

#include "model/fair_shares.h"
#include "model/snapshot.h"
#include "simulation/metrics_series.h"
#include "simulation/run_result.h"

namespace lips::simulation {

class FairnessRecorder {
 public:
  explicit FairnessRecorder(const ClusterSnapshot& cluster);
  // `by`: cores of tasks that may run or are running.
  void change_demand(PoolId pool, double by, Duration now);
  void change_used(PoolId pool, double by, Duration now);
  Fairness finish(Duration end);

 private:
  void advance(Duration now);

  std::vector<Pool> pools_;
  double capacity_ = 0;
  std::vector<double> demand_, used_, share_, used_sum_, entitled_sum_;
  bool shares_old_ = true;
  Duration now_{};
  SeriesRecorder series_;
};

}  // namespace lips::simulation
