// Use of the cluster by pool, at this moment.
#pragma once

#include <cstdint>

#include "model/snapshot.h"

namespace lips {

struct PoolActivity {
  double cores = 0;     // in use
  double capacity = 0;  // all schedulable cores
  UsdPerHour rate;      // of its running tasks, by use
  std::uint64_t pending = 0, running = 0;

  double share() const { return cores / capacity; }
};

IdVector<PoolId, PoolActivity> pool_activity(const ClusterSnapshot& cluster);

}  // namespace lips
