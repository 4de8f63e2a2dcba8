#include "policies/lips/placing/pool_room.h"

#include <algorithm>

namespace lips {

namespace {

constexpr double rounding = 1e-9;
// The part of the capacity that small jobs of all pools together may start above their pools' shares.
constexpr double express_part = 0.03;

}  // namespace

PoolRoom::PoolRoom(const ClusterSnapshot& cluster, const IdVector<PoolId, Cores>& in_use) {
  for (PoolId pool : cluster.pools.ids()) {
    const double most = cluster.pools[pool].maximum.value(), used = in_use[pool].value();
    pools_.push_back({most > 0 ? most : no_limit, used, used, 0});
  }
}

PoolRoom::PoolRoom(const ClusterSnapshot& cluster, const PoolShares& shares) : PoolRoom(cluster, cluster.pool_cores) {
  if (!shares.contended()) return;
  for (const PoolClaim& claim : shares.claims) amounts_.push_back(claim.used);
  set_shares(shares, Last::fits);
}

void PoolRoom::set_shares(const PoolShares& shares, Last last) {
  last_ = last;
  capacity_ = shares.capacity;
  shares_ = {};
  for (const Entitlement& pool : shares.of) shares_.push_back({pool, false});
}

bool PoolRoom::is_below_share(PoolId id, const Resources& request) const {
  return !is_limited(id) || until_share(id, request) > rounding;
}

double PoolRoom::part_of_share(PoolId id) const {
  const double part = dominant_share(amounts_[id], capacity_);
  const double share = shares_[id].of.share;
  return share > 0 ? part / share : no_limit;
}

double PoolRoom::until_share(PoolId id, const Resources& request, double above) const {
  return tasks_until_share(shares_[id].of, amounts_[id], request, capacity_, above);
}

bool PoolRoom::express(PoolId id, const Resources& request, double tasks) const {
  const double above = express_part / static_cast<double>(pools_.size());
  return !is_limited(id) || until_share(id, request, above) >= tasks - rounding;
}

double PoolRoom::tasks_to_come(PoolId id, const Resources& request) const {
  return is_limited(id) ? std::max(0.0, std::floor(until_share(id, request) + rounding)) : no_limit;
}

double PoolRoom::tasks_within_share(PoolId id, const Resources& request) const {
  if (!is_limited(id)) return no_limit;
  if (shares_[id].closed) return 0;
  if (last_ == Last::fits) return tasks_to_come(id, request);
  return std::max(0.0, std::ceil(until_share(id, request) - rounding));
}

void PoolRoom::take(PoolId pool, const Resources& request, double count) {
  pools_[pool].used += request.cpu.value() * count;
  pools_[pool].peak = std::max(pools_[pool].peak, pools_[pool].used);
  hold(pool, request, count);
}

void PoolRoom::hold(PoolId pool, const Resources& request, double count) {
  if (!amounts_.empty()) add_amounts(amounts_[pool], request, count);
}

void PoolRoom::release(PoolId pool, const Resources& request, double count, double at) {
  if (pools_[pool].most < no_limit || is_limited(pool)) releases_.push({at, pool, &request, count});
}

void PoolRoom::advance(double now) {
  for (; !releases_.empty() && releases_.top().at <= now; releases_.pop()) {
    const Release& ended = releases_.top();
    pools_[ended.pool].used -= ended.request->cpu.value() * ended.count;
    ++pools_[ended.pool].ended;
    if (!amounts_.empty()) add_amounts(amounts_[ended.pool], *ended.request, -ended.count);
  }
}

void PoolRoom::stay_at_peak() {
  for (Pool& pool : pools_) pool.used = pool.peak;
  releases_ = {};
}

}  // namespace lips
