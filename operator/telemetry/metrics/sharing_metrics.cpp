#include "telemetry/metrics/sharing_metrics.h"

#include <array>
#include <utility>

#include "model/fairness.h"

namespace lips {

namespace {

constexpr std::array gauges_of_shares{MetricLabel{"lips_pool_fair_share_ratio", "pool"},
                                      MetricLabel{"lips_pool_dominant_share_ratio", "pool"},
                                      MetricLabel{"lips_pool_wanted_share_ratio", "pool"},
                                      MetricLabel{"lips_pool_held_ratio", "pool"},
                                      MetricLabel{"lips_pool_lent_ratio", "pool"},
                                      MetricLabel{"lips_pool_borrowed_ratio", "pool"},
                                      MetricLabel{"lips_pool_price_of_sharing_dollars", "pool"},
                                      MetricLabel{"lips_pool_below_share_timestamp_seconds", "pool"}};

}  // namespace

void SharingMetrics::set(const std::vector<PoolSharing>& pools, TimePoint now) {
  const std::map<std::string, PoolStanding> before = std::exchange(pools_, {});
  std::vector<double> ratios;
  for (const PoolSharing& pool : pools) {
    PoolStanding& standing = pools_[pool.pool];
    standing.sharing = pool;
    if (is_below_share(pool.use, pool.entitlement)) {
      const auto known = before.find(pool.pool);
      standing.below_since = known == before.end() ? now : known->second.below_since.value_or(now);
    }
    registry_.set("lips_pool_fair_share_ratio", {pool.pool}, pool.entitlement);
    registry_.set("lips_pool_dominant_share_ratio", {pool.pool}, pool.use);
    registry_.set("lips_pool_wanted_share_ratio", {pool.pool}, pool.wanted);
    registry_.set("lips_pool_held_ratio", {pool.pool}, pool.held);
    registry_.set("lips_pool_lent_ratio", {pool.pool}, pool.lent);
    registry_.set("lips_pool_borrowed_ratio", {pool.pool}, pool.borrowed);
    registry_.set("lips_pool_price_of_sharing_dollars", {pool.pool}, pool.price_of_sharing);
    registry_.set("lips_pool_below_share_timestamp_seconds", {pool.pool},
                  standing.below_since ? to_seconds(standing.below_since->time_since_epoch()) : 0);
    if (pool.entitlement > 1e-9) ratios.push_back(pool.use / pool.entitlement);
  }
  for (const auto& [pool, standing] : before)
    if (!pools_.contains(pool))
      for (const MetricLabel gauge : gauges_of_shares) registry_.remove(gauge, pool);
  registry_.set("lips_fairness_ratio", {}, jain_index(ratios));
}

std::optional<PoolStanding> SharingMetrics::of(const std::string& pool) const {
  const auto known = pools_.find(pool);
  return known == pools_.end() ? std::nullopt : std::optional(known->second);
}

}  // namespace lips
