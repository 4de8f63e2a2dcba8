#include "tests/policies/case.h"

namespace lips::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* delay = "delay";

PolicySettings waits(int node, int rack) {
  PolicySettings settings;
  settings.delay.node = std::chrono::seconds(node);
  settings.delay.rack = std::chrono::seconds(rack);
  return settings;
}

TEST(DelayPolicy, LaunchesOnANodeWithTheDataAtOnce) {
  TwoRacks cluster;
  Case with(delay, cluster.builder, waits(5, 10));
  with.add({.blocks = cluster.blocks});
  EXPECT_THAT(with.step({cluster.local}), SizeIs(2));
}

TEST(DelayPolicy, WaitsForALocalSlotUntilTheLimit) {
  TwoRacks cluster;
  Case with(delay, cluster.builder, waits(5, 10));
  const JobId job = with.add({.blocks = cluster.blocks});
  with.at(100);
  EXPECT_THAT(with.step({cluster.near}), IsEmpty());
  EXPECT_EQ(with.state.snapshot().jobs[job].memory.passed_over_since, TimePoint(seconds(100)));
  with.at(104.9);
  EXPECT_THAT(with.step({cluster.near}), IsEmpty());
  EXPECT_EQ(with.state.snapshot().jobs[job].memory.passed_over_since, TimePoint(seconds(100)))
      << "since the first time";
  with.at(105);
  EXPECT_THAT(with.step({cluster.far}), IsEmpty()) << "only rack-local so far";
  EXPECT_THAT(with.step({cluster.near}), SizeIs(2)) << "a job that went to its rack goes on there";
}

TEST(DelayPolicy, WaitsFurtherBeforeItLeavesTheRack) {
  TwoRacks cluster;
  Case with(delay, cluster.builder, waits(5, 10));
  with.add({.blocks = cluster.blocks});
  with.at(100);
  with.step({cluster.far});
  with.at(114.9);
  EXPECT_THAT(with.step({cluster.far}), IsEmpty());
  with.at(115);
  EXPECT_THAT(with.step({cluster.far}), SizeIs(2));
}

TEST(DelayPolicy, WaitsAgainAfterALocalLaunch) {
  TwoRacks cluster;
  Case with(delay, cluster.builder, waits(5, 10));
  const JobId job = with.add({.blocks = cluster.blocks});
  with.at(100);
  with.step({cluster.far});
  with.at(103);
  EXPECT_THAT(with.step({cluster.local}), SizeIs(2));
  EXPECT_EQ(with.state.snapshot().jobs[job].memory.passed_over_since, std::nullopt);
  with.at(106);
  EXPECT_THAT(with.step({cluster.near}), IsEmpty()) << "six seconds after the first skip, but the wait began anew";
}

TEST(DelayPolicy, CountsTheZoneAsARackWhereThereAreNone) {
  ClusterBuilder builder(2);
  const NodeId local = builder.node(), near = builder.node(), far = builder.node({.zone = ZoneId(1)});
  const std::vector<BlockId> blocks = {builder.block({local}), builder.block({local})};
  Case with(delay, builder, waits(5, 10));
  with.add({.blocks = blocks});
  with.step({far});
  with.at(5);
  EXPECT_THAT(with.step({far}), IsEmpty());
  EXPECT_THAT(with.step({near}), SizeIs(2));
}

TEST(DelayPolicy, LetsAnotherJobUseTheSlotThatAJobPassesUp) {
  TwoRacks cluster;
  const std::vector<BlockId> on_far = {cluster.builder.block({cluster.far})};
  Case with(delay, cluster.builder, waits(5, 10));
  with.add({.blocks = cluster.blocks});
  const JobId second = with.add({.arrival = 1, .blocks = on_far});
  EXPECT_THAT(with.step({cluster.far}), ElementsAre(Runs(with.task(second, 0), cluster.far)));
}

TEST(DelayPolicy, DoesNotWaitWithTasksWithoutInputOrReduces) {
  TwoRacks cluster;
  Case with(delay, cluster.builder, waits(5, 10));
  with.add({.maps = 1});
  with.add({.reduces = 1});
  EXPECT_THAT(with.step({cluster.far}), SizeIs(2));
}

TEST(DelayPolicy, SharesSlotsByWeight) {
  ClusterBuilder builder;
  const PoolId heavy = builder.pool(3);
  const NodeId node = builder.node({.slots = 8, .cpu = 8});
  Case with(delay, builder);
  with.add({.pool = PoolId(0), .maps = 20});
  with.add({.pool = heavy, .arrival = 1, .maps = 20});
  with.step({node});
  EXPECT_DOUBLE_EQ(with.state.snapshot().pool_cores[PoolId(0)].value(), 2);
  EXPECT_DOUBLE_EQ(with.state.snapshot().pool_cores[heavy].value(), 6);
}

TEST(DelayPolicy, ServesPoolsBelowTheirMinimumFirst) {
  ClusterBuilder builder;
  const PoolId promised = builder.pool(0.01, 3);
  const NodeId node = builder.node({.slots = 4, .cpu = 4});
  Case with(delay, builder);
  with.add({.pool = PoolId(0), .maps = 20});
  with.add({.pool = promised, .arrival = 1, .maps = 20});
  with.step({node});
  EXPECT_DOUBLE_EQ(with.state.snapshot().pool_cores[promised].value(), 3);
}

TEST(DelayPolicy, KeepsPoolsWithinTheirMaximum) {
  ClusterBuilder builder;
  const PoolId bounded = builder.pool(1, 0, 1);
  const NodeId node = builder.node({.slots = 4, .cpu = 4});
  Case with(delay, builder);
  with.add({.pool = bounded, .maps = 20});
  EXPECT_THAT(with.step({node}), SizeIs(1));
}

TEST(DelayPolicy, SharesAPoolEvenlyAmongItsJobs) {
  ClusterBuilder builder;
  const NodeId node = builder.node({.slots = 4, .cpu = 4});
  Case with(delay, builder);
  const JobId first = with.add({.maps = 20}), second = with.add({.arrival = 1, .maps = 20});
  with.step({node});
  EXPECT_EQ(with.state.snapshot().jobs[first].running, 2u);
  EXPECT_EQ(with.state.snapshot().jobs[second].running, 2u);
}

}  // namespace
}  // namespace lips::testing
