#include <set>

#include "policies/papers/fair/priority_change.h"
#include "tests/policies/case.h"

namespace lips::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

PolicySettings waits(int node, int rack) {
  PolicySettings settings;
  settings.delay.node = std::chrono::seconds(node);
  settings.delay.rack = std::chrono::seconds(rack);
  settings.heartbeat = std::chrono::seconds(3);
  return settings;
}

// All mechanisms off but those that `on` turns on.
template <class On>
PolicySettings only(On on, PolicySettings settings = waits(3, 3)) {
  ModifiedFairSettings& fair = settings.modified_fair;
  fair.small_pool = fair.demand_shares = fair.resource_order = fair.adaptive_delays = fair.moving_priority = false;
  on(fair);
  return settings;
}

double use(const Case& with, PoolId pool) { return with.state.snapshot().pool_cores[pool].value(); }

TEST(FairPolicy, SharesSlotsByWeight) {
  ClusterBuilder builder;
  const PoolId heavy = builder.pool(3);
  const NodeId node = builder.node({.slots = 8, .cpu = 8});
  Case with("fair", builder);
  with.add({.pool = PoolId(0), .maps = 20});
  with.add({.pool = heavy, .arrival = 1, .maps = 20});
  with.step({node});
  EXPECT_DOUBLE_EQ(use(with, PoolId(0)), 2);
  EXPECT_DOUBLE_EQ(use(with, heavy), 6);
}

TEST(FairPolicy, ServesPoolsBelowTheirMinimumFirstAndKeepsMaxima) {
  ClusterBuilder builder;
  const PoolId promised = builder.pool(0.01, 3, 3);
  const NodeId node = builder.node({.slots = 4, .cpu = 4});
  Case with("fair", builder);
  with.add({.pool = PoolId(0), .maps = 20});
  with.add({.pool = promised, .arrival = 1, .maps = 20});
  with.step({node});
  EXPECT_DOUBLE_EQ(use(with, promised), 3);
  EXPECT_DOUBLE_EQ(use(with, PoolId(0)), 1);
}

TEST(FairPolicy, SpreadsOnlyTheLoadThatPoolsMayRun) {
  for (const auto& [policy, started] : {std::pair("fair", 2u), {"modified-fair", 2u}, {"hadoop-default", 4u}}) {
    SCOPED_TRACE(policy);
    ClusterBuilder builder;
    const PoolId bounded = builder.pool(1, 1, 4);
    const NodeId node = builder.node({.slots = 4, .cpu = 4});
    builder.node({.slots = 4, .cpu = 4});
    Case with(policy, builder);
    const JobId job = with.add({.pool = bounded, .maps = 20});
    for (int i = 0; i < 4; ++i) with.step({node});
    EXPECT_EQ(with.state.snapshot().jobs[job].running, started) << "4 of the 8 slots may be used, half of each node's";
  }
}

TEST(FairPolicy, CountsAWaitFromOneHeartbeatToTheNext) {
  TwoRacks cluster;
  Case with("fair", cluster.builder, waits(3, 3));
  const JobId job = with.add({.blocks = cluster.blocks});
  with.at(100);
  EXPECT_THAT(with.step({cluster.near}), IsEmpty());
  EXPECT_EQ(with.state.snapshot().jobs[job].memory.refused_at, TimePoint(seconds(100)));
  with.at(101);
  EXPECT_THAT(with.step({cluster.near}), IsEmpty());
  EXPECT_EQ(with.state.snapshot().jobs[job].memory.refused_for, std::chrono::seconds(1));
  with.at(200);  // three nodes ask every 3 s: no gap counts for more than a second
  EXPECT_THAT(with.step({cluster.near}), IsEmpty());
  EXPECT_EQ(with.state.snapshot().jobs[job].memory.refused_for, std::chrono::seconds(2));
  with.at(201);
  EXPECT_THAT(with.step({cluster.far}), IsEmpty()) << "three seconds: the rack, but no further";
  EXPECT_THAT(with.step({cluster.near}), SizeIs(2));
  EXPECT_EQ(with.state.snapshot().jobs[job].memory.refused_for, Duration(0));
}

TEST(FairPolicy, LetsAnotherJobUseTheSlotThatAJobRefuses) {
  TwoRacks cluster;
  const std::vector<BlockId> on_far = {cluster.builder.block({cluster.far})};
  Case with("fair", cluster.builder, waits(5, 10));
  with.add({.blocks = cluster.blocks});
  const JobId second = with.add({.arrival = 1, .blocks = on_far});
  EXPECT_THAT(with.step({cluster.far}), ElementsAre(Runs(with.task(second, 0), cluster.far)));
}

TEST(FairPolicy, KeepsMapAndReduceSlotsApartWhereNodesHaveBoth) {
  for (const char* policy : {"fair", "capacity", "modified-fair", "hadoop-default"}) {
    SCOPED_TRACE(policy);
    ClusterBuilder builder;
    const NodeId node = builder.node({.slots = 3, .cpu = 3});
    PolicySettings settings;
    settings.reduce_slots = 1;
    settings.modified_fair.small_pool = false;
    Case with(policy, builder, settings);
    const JobId done = with.add({.maps = 1, .reduces = 2});
    std::set<TaskId> started;
    for (int i = 0; i < 3; ++i)
      for (const Assignment& assignment : with.step({node})) started.insert(assignment.task);
    EXPECT_THAT(started, ElementsAre(with.task(done, 0)));
    with.finish(with.task(done, 0));
    const JobId maps = with.add({.arrival = 1, .maps = 9});
    for (int i = 0; i < 5; ++i) with.step({node});
    EXPECT_EQ(with.state.snapshot().jobs[done].running, 1u);
    EXPECT_EQ(with.state.snapshot().jobs[maps].running, 2u);
  }
}

TEST(CapacityPolicy, ServesTheQueueThatUsesLeastOfItsCapacity) {
  ClusterBuilder builder;
  const PoolId large = builder.pool(3);
  const NodeId node = builder.node({.slots = 8, .cpu = 8});
  Case with("capacity", builder);
  with.add({.pool = PoolId(0), .blocks = {}, .maps = 20});
  with.add({.pool = large, .arrival = 1, .maps = 20});
  for (int i = 0; i < 8; ++i) with.step({node});  // tasks without input come one a heartbeat
  EXPECT_DOUBLE_EQ(use(with, PoolId(0)), 2);
  EXPECT_DOUBLE_EQ(use(with, large), 6);
}

TEST(CapacityPolicy, LetsAQueueGoBeyondItsCapacityUpToItsMaximum) {
  ClusterBuilder builder;
  const PoolId bounded = builder.pool(1, 1, 3);
  const NodeId node = builder.node({.slots = 8, .cpu = 8});
  Case with("capacity", builder);
  with.add({.pool = bounded, .maps = 20});
  for (int i = 0; i < 8; ++i) with.step({node});
  EXPECT_DOUBLE_EQ(use(with, bounded), 3);
}

TEST(CapacityPolicy, TakesAQueuesJobsByPriorityThenArrival) {
  ClusterBuilder builder;
  const NodeId node = builder.node({.slots = 2, .cpu = 2});
  Case with("capacity", builder);
  with.add({.maps = 3});
  const JobId urgent = with.add({.arrival = 1, .priority = 1, .maps = 3});
  with.step({node});
  with.step({node});
  EXPECT_EQ(with.state.snapshot().jobs[urgent].running, 2u);
}

TEST(CapacityPolicy, LeavesTheRackOnceItMissedAsManyChancesAsItNeedsSlots) {
  TwoRacks cluster;
  Case with("capacity", cluster.builder);
  with.add({.blocks = cluster.blocks});  // 3 nodes, one of them with its input: 3 x 1/3
  EXPECT_THAT(with.step({cluster.far}), IsEmpty());
  EXPECT_THAT(with.step({cluster.far}), SizeIs(1)) << "one task without locality a heartbeat";
}

TEST(ModifiedFairPolicy, WithoutItsMechanismsIsTheFairScheduler) {
  TwoRacks cluster;
  cluster.builder.pool(2, 1, 4);
  Case plain("fair", cluster.builder, waits(3, 3));
  Case modified("modified-fair", cluster.builder, only([](auto&) {}));
  for (Case* with : {&plain, &modified}) {
    with->add({.blocks = cluster.blocks, .reduces = 1});
    with->add({.pool = PoolId(1), .arrival = 1, .priority = 1, .maps = 3});
  }
  for (int i = 0; i < 20; ++i) {
    for (Case* with : {&plain, &modified}) with->at(i);
    const std::vector<NodeId> reporting = {NodeId(static_cast<std::uint32_t>(i % 3))};
    EXPECT_EQ(plain.step(reporting), modified.step(reporting));
  }
}

TEST(ModifiedFairPolicy, PutsTheSmallestJobIntoAPoolOfItsOwn) {
  ClusterBuilder builder;
  const NodeId node = builder.node({.slots = 3, .cpu = 3});
  const auto small_pool = [](ModifiedFairSettings& fair) { fair.small_pool = true; };
  Case with("modified-fair", builder, only(small_pool));
  std::vector<JobId> jobs;
  for (const int maps : {9, 9, 2}) jobs.push_back(with.add({.arrival = 10.0 - maps, .maps = maps}));
  with.step({node});
  // Two pools, fair: the small one gets every other slot, though its job comes last in the user's pool.
  EXPECT_EQ(with.state.snapshot().jobs[jobs[2]].running, 1u);
  EXPECT_EQ(with.state.snapshot().jobs[jobs[0]].running + with.state.snapshot().jobs[jobs[1]].running, 2u);
  ASSERT_TRUE(with.state.snapshot().shares.has_value());
  EXPECT_TRUE(with.state.snapshot().shares->small_pool);
  EXPECT_EQ(with.state.snapshot().shares->least_job, 2u);
}

TEST(ModifiedFairPolicy, SharesFreeSlotsByDemand) {
  ClusterBuilder builder;
  const PoolId other = builder.pool();
  const NodeId node = builder.node({.slots = 8, .cpu = 8});
  Case with("modified-fair", builder, only([](ModifiedFairSettings& fair) { fair.demand_shares = true; }));
  with.add({.maps = 30});
  with.add({.pool = other, .arrival = 1, .maps = 10});
  with.step({node});
  EXPECT_DOUBLE_EQ(use(with, PoolId(0)), 6);
  EXPECT_DOUBLE_EQ(use(with, other), 2);
}

TEST(ModifiedFairPolicy, KeepsItsSharesForHalfASecond) {
  ClusterBuilder builder;
  const NodeId node = builder.node({.slots = 8, .cpu = 8});
  Case with("modified-fair", builder, only([](ModifiedFairSettings& fair) { fair.demand_shares = true; }));
  with.add({.maps = 4});
  with.at(10);
  with.step({});
  EXPECT_THAT(with.state.snapshot().shares->slots, ElementsAre(8, 0));
  with.at(10.3);
  with.add({.arrival = 10.3, .maps = 40});
  with.step({node});
  EXPECT_EQ(with.state.snapshot().shares->at, TimePoint(seconds(10)));
  with.at(10.5);
  with.step({node});
  EXPECT_EQ(with.state.snapshot().shares->at, TimePoint(seconds(10.5)));
}

TEST(ModifiedFairPolicy, ServesTheJobWithMostPendingTasksFirst) {
  ClusterBuilder builder;
  const NodeId node = builder.node({.slots = 4, .cpu = 4});
  Case with("modified-fair", builder, only([](ModifiedFairSettings& fair) { fair.resource_order = true; }));
  with.add({.maps = 5});
  const JobId large = with.add({.arrival = 1, .maps = 9});
  with.step({node});
  EXPECT_EQ(with.state.snapshot().jobs[large].running, 4u);
}

TEST(ModifiedFairPolicy, WaitsAsLongAsOthersWaitedThatFoundLocality) {
  TwoRacks cluster;
  Case with("modified-fair", cluster.builder, only([](ModifiedFairSettings& fair) { fair.adaptive_delays = true; }));
  with.add({.blocks = {cluster.blocks[0]}});
  EXPECT_THAT(with.step({cluster.local}), SizeIs(1)) << "found its node at once: a wait of 0";
  EXPECT_EQ(with.state.snapshot().jobs[JobId(0)].memory.node_waits, (WaitSum{Duration(0), 1}));
  with.add({.arrival = 1, .blocks = {cluster.blocks[1]}});
  with.at(1);
  EXPECT_THAT(with.step({cluster.near}), SizeIs(1)) << "so that nobody waits for a node any more";
}

TEST(ModifiedFairPolicy, MovesPrioritiesWithLocality) {
  TwoRacks cluster;
  const auto moving = [](ModifiedFairSettings& fair) { fair.moving_priority = true; };
  Case with("modified-fair", cluster.builder, only(moving, waits(0, 0)));
  const JobId job = with.add({.blocks = cluster.blocks, .cores = 2});
  const auto priority = [&] { return with.state.snapshot().jobs[job].memory.priority; };
  EXPECT_THAT(with.step({cluster.local}), SizeIs(1));
  EXPECT_EQ(priority(), std::nullopt) << "one launch is no change";
  EXPECT_THAT(with.step({cluster.near}), SizeIs(1));
  EXPECT_EQ(priority(), -1);
  EXPECT_THAT(with.step({cluster.far}), SizeIs(1));
  EXPECT_EQ(priority(), -2);
  with.finish(with.task(job, 0));
  EXPECT_THAT(with.step({cluster.local}), SizeIs(1));
  EXPECT_EQ(priority(), 0) << "two levels up";
}

}  // namespace
}  // namespace lips::testing
