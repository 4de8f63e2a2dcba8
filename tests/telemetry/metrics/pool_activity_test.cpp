// Use of the cluster by pool.
#include "telemetry/metrics/pool_activity.h"

#include <gtest/gtest.h>

#include "tests/policies/snapshot_builder.h"

namespace lips::testing {
namespace {

TEST(PoolActivity, CountsWhatRunsAndWhatWaits) {
  ClusterBuilder builder;
  builder.pool(2);
  const NodeId node = builder.node({.price = 1e-5, .slots = 8, .cpu = 8});
  builder.start.nodes[node].others.cpu = Cores(1);
  builder.start.nodes[builder.node({.slots = 8, .cpu = 8})].schedulable = false;
  ClusterState state(builder.start);
  state.apply(job(state.snapshot(), {.pool = PoolId(0), .maps = 4}));
  state.apply(job(state.snapshot(), {.pool = PoolId(1), .maps = 6, .cores = 2}));
  ASSERT_TRUE(state.assume({TaskId(0), node, {}, {}}));
  ASSERT_TRUE(state.assume({TaskId(4), node, {}, {}}));
  const IdVector<PoolId, PoolActivity> use = pool_activity(state.snapshot());
  ASSERT_EQ(use.size(), 2u);
  const PoolActivity &light = use[PoolId(0)], &heavy = use[PoolId(1)];
  EXPECT_EQ(light.running, 1u);
  EXPECT_EQ(light.pending, 3u);
  EXPECT_DOUBLE_EQ(light.cores, 1);
  EXPECT_DOUBLE_EQ(heavy.cores, 2);
  EXPECT_DOUBLE_EQ(heavy.rate.value(), 2 * 1e-5 * 3600);
  EXPECT_DOUBLE_EQ(heavy.share(), 2.0 / 7);
}

TEST(PoolActivity, OfAClusterWithoutNodesIsNothing) {
  ClusterBuilder builder;
  ClusterState state(builder.start);
  state.apply(job(state.snapshot(), {.maps = 1}));
  EXPECT_EQ(pool_activity(state.snapshot())[PoolId(0)].share(), 0);
}

}  // namespace
}  // namespace lips::testing
