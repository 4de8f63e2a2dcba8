// The highest priority that waits: in each pool where pools compete, since shares come before priority, else in all.
#pragma once

#include <algorithm>
#include <limits>

#include "model/snapshot.h"
#include "policies/lips/placing/pool_room.h"

namespace lips {

class WaitingPriority {
 public:
  WaitingPriority(const ClusterSnapshot& cluster, const PoolRoom& pools)
      : apart_(pools.compete()), most_(cluster.pools.size(), std::numeric_limits<std::int32_t>::min()) {}

  void add(const Job& job) { most(job.pool) = std::max(most(job.pool), job.priority); }
  // Nothing that was added goes before it.
  bool is_reached(const Job& job) { return job.priority >= most(job.pool); }

 private:
  std::int32_t& most(PoolId pool) { return most_[apart_ ? pool : PoolId(0)]; }

  bool apart_;
  IdVector<PoolId, std::int32_t> most_;
};

}  // namespace lips
