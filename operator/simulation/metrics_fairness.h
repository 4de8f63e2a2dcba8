// What each pool was entitled to and what it used, integrated over a run.
#pragma once

#include <span>
#include <vector>

#include "model/snapshot.h"
#include "simulation/metrics_series.h"
#include "simulation/run_result.h"

namespace lips::simulation {

// Weighted max-min fair shares of the capacity, none above its demand or maximum, none below the lesser of minimum and
// demand.
std::vector<double> fair_shares(std::span<const Pool> pools, std::span<const double> demand, double capacity);
// (sum x)^2 / (n sum x^2) (Jain, Chiu, Hawe 1984); 1 when there is nothing.
double jain_index(std::span<const double> values);

class FairnessRecorder {
 public:
  explicit FairnessRecorder(const ClusterSnapshot& cluster);
  // In cores; of tasks that may run or do.
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
