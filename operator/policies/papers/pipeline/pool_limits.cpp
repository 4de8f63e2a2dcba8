#include "policies/papers/pipeline/pool_limits.h"

#include <algorithm>
#include <limits>

#include "policies/papers/fair/demand_shares.h"

namespace lips::pipeline {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr int steps = 100;  // of halving

double share_at(double level, const PoolNeed& pool) {
  const double most = std::min(pool.wanted, pool.maximum > 0 ? pool.maximum : unbounded);
  return std::min(most, std::max(level * pool.weight, std::min(pool.minimum, most)));
}

double sum_at(double level, const std::vector<PoolNeed>& pools) {
  double sum = 0;
  for (const PoolNeed& pool : pools) sum += share_at(level, pool);
  return sum;
}

}  // namespace

std::vector<double> max_min_shares(double slots, const std::vector<PoolNeed>& pools) {
  double low = 0, high = 1;
  const double all = sum_at(unbounded, pools);
  while (sum_at(high, pools) < std::min(slots, all) && high < 1e18) high *= 2;
  for (int step = 0; step < steps; ++step) {
    const double level = (low + high) / 2;
    (sum_at(level, pools) < slots ? low : high) = level;
  }
  std::vector<double> shares;
  for (const PoolNeed& pool : pools) shares.push_back(share_at(high, pool));
  return shares;
}

std::vector<double> pool_limits(Draft& draft, const fair::StageSlots& slots, const PolicySettings& settings,
                                const std::vector<fair::PoolLoad>& loads) {
  const ClusterSnapshot& cluster = draft.cluster;
  const std::size_t pools = cluster.pools.size();
  std::vector<double> limits(pools, unbounded);
  const double all = slots.cores(TaskKind::map);
  if (settings.pipeline.shares == PipelineShares::demand) {
    std::vector<fair::PoolDemand> demand(pools);
    for (std::size_t i = 0; i < pools; ++i)
      demand[i] = {loads[i].demand, loads[i].workload,
                   cluster.pools[PoolId(static_cast<std::uint32_t>(i))].maximum.value()};
    limits = fair::demand_shares(slots.free_cores(TaskKind::map), demand, settings.modified_fair.share_base);
  } else if (settings.pipeline.shares != PipelineShares::none) {
    std::vector<PoolNeed> needs(pools);
    for (std::size_t i = 0; i < pools; ++i) {
      const Pool& pool = cluster.pools[PoolId(static_cast<std::uint32_t>(i))];
      needs[i] = {pool.weight, pool.minimum.value(), pool.maximum.value(), loads[i].workload + loads[i].demand};
      // A queue's capacity is its minimum; what others leave is divided by capacity.
      if (settings.pipeline.shares == PipelineShares::capacity && pool.minimum.value() > 0)
        needs[i].weight = pool.minimum.value();
    }
    limits = max_min_shares(all, needs);
  }
  return limits;
}

}  // namespace lips::pipeline
