#include "simulation/metrics_fairness.h"

#include <algorithm>

namespace lips::simulation {

FairnessRecorder::FairnessRecorder(const ClusterSnapshot& cluster)
    : pools_(cluster.pools.items()),
      demand_(pools_.size(), 0),
      used_(demand_),
      share_(demand_),
      used_sum_(demand_),
      entitled_sum_(demand_),
      series_(pools_.size()) {
  for (const Node& node : cluster.nodes) capacity_ += node.capacity.cpu.value();
}

void FairnessRecorder::advance(Duration now) {
  if (now <= now_) return;
  if (shares_old_) share_ = fair_shares(pools_, demand_, capacity_);
  shares_old_ = false;
  const double span = to_seconds(now - now_);
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    if (demand_[i] <= 1e-9) continue;
    used_sum_[i] += used_[i] * span;
    entitled_sum_[i] += share_[i] * span;
  }
  now_ = now;
}

void FairnessRecorder::change_demand(PoolId pool, double by, Duration now) {
  advance(now);
  demand_[pool.index()] += by;
  shares_old_ = true;
}

void FairnessRecorder::change_used(PoolId pool, double by, Duration now) {
  advance(now);
  double& used = used_[pool.index()];
  used += by;
  if (used < 1e-9) used = 0;
  series_.set(pool.index(), capacity_ > 0 ? used / capacity_ : 0, now);
}

Fairness FairnessRecorder::finish(Duration end) {
  advance(end);
  Fairness result;
  std::vector<std::string> names;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    names.push_back(pools_[i].name);
    result.pools.push_back({pools_[i].name, used_sum_[i], entitled_sum_[i]});
    if (entitled_sum_[i] <= 0) continue;
    ratios.push_back(used_sum_[i] / entitled_sum_[i]);
    result.worst_shortfall = std::max(result.worst_shortfall, 1 - ratios.back());
  }
  result.jain = jain_index(ratios);
  result.share = series_.finish(end, std::move(names));
  return result;
}

}  // namespace lips::simulation
