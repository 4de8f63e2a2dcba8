// Cores left under each pool's maximum, as tasks take and release them over time.
#pragma once

#include <cmath>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "policies/lips/market/requests.h"

namespace lips {

class PoolRoom {
 public:
  PoolRoom(const ClusterSnapshot& cluster, const IdVector<PoolId, Cores>& in_use);

  // How many more tasks of this request the pool's maximum allows.
  double tasks(PoolId id, const Resources& request) const {
    const Pool& pool = pools_[id];
    return pool.most < no_maximum ? std::floor((pool.most - pool.used + 1e-7) / cores_of(request)) : no_maximum;
  }
  IdVector<PoolId, Cores> in_use() const;

  void take(PoolId pool, Cores cores);
  void release(PoolId pool, Cores cores, double at);
  // Time runs forward: releases the cores of tasks that have ended by now.
  void advance(double now);
  // From here on times are not in order: only cores that were never used are left.
  void stay_at_peak();

 private:
  static constexpr double no_maximum = 1e300;
  struct Pool {
    double most = 0, used = 0, peak = 0;
  };
  using Release = std::tuple<double, PoolId, double>;
  IdVector<PoolId, Pool> pools_;
  std::priority_queue<Release, std::vector<Release>, std::greater<>> releases_;
};

}  // namespace lips
