// What each pool uses at this moment, and what it may use.
#pragma once

#include <cstdint>

#include "model/snapshot.h"

namespace lips {

struct PoolActivity {
  double cores = 0;     // in use
  double fair = 0;      // cores: the weighted max-min fair share of what it asks for
  double capacity = 0;  // all schedulable cores
  UsdPerHour rate;      // of its running tasks, by use
  std::uint64_t pending = 0, running = 0;

  double share() const { return cores / capacity; }
  double fair_share() const { return fair / capacity; }
};

IdVector<PoolId, PoolActivity> pool_activity(const ClusterSnapshot& cluster);

}  // namespace lips
