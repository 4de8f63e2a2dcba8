#include "simulation/metrics_fairness.h"

#include <algorithm>
#include <utility>

#include "model/fairness.h"

namespace lips::simulation {

namespace {

// Sums of many tasks that have come and gone.
void clear_rounding(ResourceAmounts& amounts) {
  for (double& amount : amounts)
    if (amount < 1e-6) amount = 0;
}

}  // namespace

FairnessRecorder::FairnessRecorder(const ClusterSnapshot& cluster)
    : pools_(cluster.pools),
      capacity_(2 + cluster.extended_names.size(), 0.0),
      claims_(pools_.size(), PoolClaim{capacity_, capacity_}),
      share_(pools_.size()),
      recorded_(pools_.size()),
      series_(pools_.size()) {
  for (const Node& node : cluster.nodes) add_amounts(capacity_, node.capacity, 1);
}

void FairnessRecorder::advance(Duration now) {
  if (now <= now_) return;
  if (std::exchange(shares_old_, false)) share_ = entitlements(pools_, claims_, capacity_);
  const double span = to_seconds(now - now_);
  for (const PoolId pool : pools_.ids()) {
    Recorded& recorded = recorded_[pool];
    const Entitlement& share = share_[pool];
    if (share.wanted <= 1e-9) {
      recorded.below_since = {};
      continue;
    }
    recorded.used += share.used * span;
    recorded.entitled += share.share * span;
    if (!is_below_share(share.used, share.share)) {
      recorded.below_since = {};
      continue;
    }
    if (!recorded.below_since) recorded.below_since = now_;
    recorded.longest_below = std::max(recorded.longest_below, now - *recorded.below_since);
  }
  now_ = now;
}

void FairnessRecorder::change_demand(PoolId pool, const Resources& request, double tasks, Duration now) {
  advance(now);
  add_amounts(claims_[pool].wanted, request, tasks);
  clear_rounding(claims_[pool].wanted);
  shares_old_ = true;
}

void FairnessRecorder::change_used(PoolId pool, const Resources& request, double tasks, Duration now) {
  advance(now);
  ResourceAmounts& used = claims_[pool].used;
  add_amounts(used, request, tasks);
  clear_rounding(used);
  share_[pool].used = dominant_share(used, capacity_);
  series_.set(pool.index(), capacity_[0] > 0 ? used[0] / capacity_[0] : 0, now);
}

Fairness FairnessRecorder::finish(Duration end) {
  advance(end);
  Fairness result;
  std::vector<std::string> names;
  std::vector<double> ratios;
  for (const PoolId pool : pools_.ids()) {
    const Recorded& recorded = recorded_[pool];
    names.push_back(pools_[pool].name);
    result.pools.push_back({pools_[pool].name, recorded.used * capacity_[0], recorded.entitled * capacity_[0],
                            to_seconds(recorded.longest_below)});
    if (recorded.entitled <= 0) continue;
    ratios.push_back(recorded.used / recorded.entitled);
    result.worst_shortfall = std::max(result.worst_shortfall, 1 - ratios.back());
  }
  result.jain = jain_index(ratios);
  result.share = series_.finish(end, std::move(names));
  return result;
}

}  // namespace lips::simulation
