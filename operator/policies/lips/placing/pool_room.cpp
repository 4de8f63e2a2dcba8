#include "policies/lips/placing/pool_room.h"

#include <algorithm>

namespace lips {

PoolRoom::PoolRoom(const ClusterSnapshot& cluster, const IdVector<PoolId, Cores>& in_use) {
  for (PoolId pool : cluster.pools.ids()) {
    const double most = cluster.pools[pool].maximum.value(), used = in_use[pool].value();
    pools_.push_back({most > 0 ? most : no_maximum, used, used});
  }
}

IdVector<PoolId, Cores> PoolRoom::in_use() const {
  IdVector<PoolId, Cores> result;
  for (const Pool& pool : pools_) result.push_back(Cores(pool.used));
  return result;
}

void PoolRoom::take(PoolId pool, Cores cores) {
  pools_[pool].used += cores.value();
  pools_[pool].peak = std::max(pools_[pool].peak, pools_[pool].used);
}

void PoolRoom::release(PoolId pool, Cores cores, double at) {
  if (pools_[pool].most < no_maximum) releases_.emplace(at, pool, cores.value());
}

void PoolRoom::advance(double now) {
  for (; !releases_.empty() && std::get<0>(releases_.top()) <= now; releases_.pop())
    pools_[std::get<1>(releases_.top())].used -= std::get<2>(releases_.top());
}

void PoolRoom::stay_at_peak() {
  for (Pool& pool : pools_) pool.used = pool.peak;
  releases_ = {};
}

}  // namespace lips
