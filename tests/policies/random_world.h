// Random snapshots with every feature of the model, their prices, and settings that vary with the seed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "policies/registry/registry.h"
#include "simulation/random_snapshot.h"

namespace lips::testing {

struct WorldLimits {
  std::uint32_t tasks = 0;  // at most; 0: as the shape draws them
};

// Pools with shares and maxima, narrow links, slow reads and small stores, each now and then.
inline void bind_more(std::uint64_t seed, ClusterSnapshot& cluster) {
  if (seed % 4 == 1)
    for (PoolId pool : cluster.pools.ids()) {
      cluster.pools[pool].shortfall_price = UsdPerCpuSecond(1e-5);
      cluster.pools[pool].minimum = Cores(2);
      if (pool.index() == 0) cluster.pools[pool].maximum = Cores(4);
    }
  if (seed % 5 == 2) cluster.network.zone_link = MebibytesPerSecond(1);
  if (seed % 6 == 3) cluster.network.remote_stream = MebibytesPerSecond(2);
  if (seed % 3 == 0)
    for (DataStore& store : cluster.stores) store.capacity = store.used + Mebibytes(100);
}

// A third of the jobs are due, from long overdue to much time, and targets have moved the price of most pools' waits.
inline void make_some_due(std::uint64_t seed, ClusterSnapshot& cluster) {
  Random random(seed);
  for (Job& job : cluster.jobs)
    if (random.below(3) == 0)
      job.due.complete_by = cluster.now + seconds(random.uniform(-600, 600) * random.uniform(0, 60));
  for (Pool& pool : cluster.pools)
    if (random.below(3) > 0) pool.waiting_factor = std::exp2(random.uniform(-3, 3));
}

struct RandomWorld {
  explicit RandomWorld(std::uint64_t seed, WorldLimits limits = {}) : RandomWorld(shape_of(seed, limits)) {
    bind_more(seed, cluster);
    if (seed % 7 == 4) make_some_due(seed, cluster);
  }
  explicit RandomWorld(const simulation::SnapshotShape& shape)
      : cluster(simulation::random_cluster(shape).snapshot()), costs(simulation::random_costs(shape)) {
    for (NodeId node : cluster.nodes.ids())
      if (cluster.nodes[node].schedulable) reporting.push_back(node);
  }

  Result<Plan> decide(std::string_view policy, const PolicySettings& settings) const {
    return (*make_policy(policy, settings))->decide({cluster, costs, 1, reporting, nullptr});
  }
  bool has_pool_maximum() const {
    return std::any_of(cluster.pools.begin(), cluster.pools.end(),
                       [](const Pool& pool) { return pool.maximum.value() > 0; });
  }

  ClusterSnapshot cluster;
  CostModel costs;
  std::vector<NodeId> reporting;

 private:
  static simulation::SnapshotShape shape_of(std::uint64_t seed, WorldLimits limits) {
    simulation::SnapshotShape shape = simulation::random_full_shape(seed);
    if (limits.tasks > 0) shape.tasks = std::min(shape.tasks, limits.tasks);
    return shape;
  }
};

inline PolicySettings settings_for(std::uint64_t seed) {
  PolicySettings settings;
  settings.lips.horizon = settings.paper.epoch = settings.paper.uptime = std::chrono::seconds(600);
  settings.lips.copy_columns = seed % 3 == 0;
  settings.lips.keep_copies = seed % 2 == 0;
  settings.lips.makespan_tolerance = seed % 5 == 0 ? 0.05 : 0;
  settings.lips.locality_price = UsdPerMebibyte(seed % 7 == 0 ? 1e-7 : 0);
  settings.lips.home_zones = seed % 4 != 0;
  return settings;
}

}  // namespace lips::testing
