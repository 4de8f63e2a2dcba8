#include "model/snapshot.h"

#include <gtest/gtest.h>

#include "model/task_bill.h"
#include "tests/policies/snapshot_builder.h"

namespace lips::testing {
namespace {

constexpr ZoneId here{0}, there{1}, elsewhere{2};

struct Places {
  ClusterBuilder builder{3};
  RackId rack = builder.rack(), other_rack = builder.rack();
  NodeId reader = builder.node({.rack = rack}), in_rack = builder.node({.rack = rack}),
         in_zone = builder.node({.rack = other_rack}), far = builder.node({.zone = there}),
         farther = builder.node({.zone = elsewhere});
  CostModel costs{{{UsdPerMebibyte(0), UsdPerMebibyte(1), UsdPerMebibyte(1)},
                   {UsdPerMebibyte(3), UsdPerMebibyte(0), UsdPerMebibyte(1)},
                   {UsdPerMebibyte(2), UsdPerMebibyte(1), UsdPerMebibyte(0)}}};
  NearestReplica nearest(const std::vector<StoreId>& stores) {
    const BlockId block = builder.block_in(stores);
    const ClusterState state(builder.start);
    return nearest_replica(state.snapshot(), costs, block, reader);
  }
  StoreId of(NodeId node) const { return builder.own_store[node]; }
};

TEST(LocalityOf, TellsNodeRackZoneAndRemote) {
  Places places;
  const StoreId volume = places.builder.volume(here);
  const ClusterState state(places.builder.start);
  EXPECT_EQ(locality_of(state.snapshot(), places.of(places.reader), places.reader), Locality::node);
  EXPECT_EQ(locality_of(state.snapshot(), places.of(places.in_rack), places.reader), Locality::rack);
  EXPECT_EQ(locality_of(state.snapshot(), places.of(places.in_zone), places.reader), Locality::zone);
  EXPECT_EQ(locality_of(state.snapshot(), volume, places.reader), Locality::zone);
  EXPECT_EQ(locality_of(state.snapshot(), places.of(places.far), places.reader), Locality::remote);
}

TEST(NearestReplica, PrefersTheNearest) {
  Places places;
  EXPECT_EQ(places.nearest({places.of(places.far), places.of(places.in_zone), places.of(places.in_rack)}).store,
            places.of(places.in_rack));
}

TEST(NearestReplica, TakesTheCheaperOfTwoEquallyFar) {
  Places places;
  EXPECT_EQ(places.nearest({places.of(places.far), places.of(places.farther)}).store, places.of(places.farther))
      << "2 dollars a MiB against 3";
}

TEST(NearestReplica, BreaksTiesById) {
  Places places;
  const StoreId first = places.builder.volume(there), second = places.builder.volume(there);
  EXPECT_EQ(places.nearest({second, first}).store, first);
}

TEST(NearestReplica, IsNoneWithoutBlockOrReplica) {
  Places places;
  EXPECT_FALSE(places.nearest({}).store.valid());
  EXPECT_EQ(places.nearest({}).locality, Locality::none);
  const ClusterState state(places.builder.start);
  EXPECT_FALSE(nearest_replica(state.snapshot(), places.costs, BlockId::none(), places.reader).store.valid());
}

TEST(TaskBill, ChargesCpuAndTheTransferInItsDirection) {
  Places places;
  const BlockId block = places.builder.block({places.far}, 100);
  ClusterState state(places.builder.start);
  state.apply(job(state.snapshot(), {.blocks = {block}, .cpu = 10}));
  const Bill bill = task_bill(state.snapshot(), places.costs, state.snapshot().tasks[TaskId(0)],
                              {TaskId(0), places.reader, places.of(places.far), {}});
  EXPECT_DOUBLE_EQ(bill.cpu.value(), 10);
  EXPECT_DOUBLE_EQ(bill.transfer.value(), 300) << "from there to here";
  EXPECT_DOUBLE_EQ(bill.total().value(), 310);
}

TEST(TaskBill, ChargesAReduceItsShareOfTheMapOutputOfOtherZones) {
  Places places;
  ClusterState state(places.builder.start);
  state.apply(job(state.snapshot(), {.maps = 4, .reduces = 2, .cpu = 0, .shuffle = 400}));
  const NodeId ran[] = {places.reader, places.far, places.far, places.farther};
  for (std::uint32_t map = 0; map < 4; ++map) {
    ASSERT_TRUE(state.assume({TaskId(map), ran[map], {}, {}}));
    state.apply(TaskFinished{TaskId(map), ran[map]});
  }
  const Bill bill =
      task_bill(state.snapshot(), places.costs, state.snapshot().tasks[TaskId(4)], {TaskId(4), places.reader, {}, {}});
  EXPECT_DOUBLE_EQ(bill.shuffle.value(), 100 * 3 + 50 * 2) << "half of 200 MiB and of 100 MiB";
}

TEST(ExpectedDuration, IsTheLongerOfWorkAndRead) {
  Places places;
  places.builder.start.network.remote_stream = MebibytesPerSecond(1);
  const BlockId block = places.builder.block({places.far}, 64);
  const NodeId fast = places.builder.node({.speed = 2});
  ClusterState state(places.builder.start);
  state.apply(job(state.snapshot(), {.blocks = {block}, .cpu = 40, .cores = 2}));
  const Task& task = state.snapshot().tasks[TaskId(0)];
  EXPECT_EQ(expected_duration(state.snapshot(), task, places.reader, Locality::node), seconds(20));
  EXPECT_EQ(expected_duration(state.snapshot(), task, fast, Locality::node), seconds(10));
  EXPECT_EQ(expected_duration(state.snapshot(), task, fast, Locality::remote), seconds(64));
}

TEST(CostModel, TransfersFromTheCheapestZone) {
  const Places places;
  ZoneSet zones;
  zones.insert(there);
  zones.insert(elsewhere);
  EXPECT_DOUBLE_EQ(places.costs.transfer(zones, here).value(), 2);
  EXPECT_DOUBLE_EQ(places.costs.transfer(zones, there).value(), 0);
  EXPECT_DOUBLE_EQ(places.costs.transfer(ZoneSet(), here).value(), 0);
  EXPECT_DOUBLE_EQ(CostModel().transfer(there, here).value(), 0);
}

TEST(Network, GivesAStreamItsTightestLink) {
  Network network;
  EXPECT_DOUBLE_EQ(network.stream(Locality::remote).value(), 0) << "not limited";
  network.node_link = MebibytesPerSecond(100);
  network.rack_link = MebibytesPerSecond(50);
  network.remote_stream = MebibytesPerSecond(70);
  EXPECT_DOUBLE_EQ(network.stream(Locality::rack).value(), 100);
  EXPECT_DOUBLE_EQ(network.stream(Locality::zone).value(), 50);
  EXPECT_DOUBLE_EQ(network.stream(Locality::remote).value(), 50);
  EXPECT_DOUBLE_EQ(network.stream(Locality::node).value(), 0);
}

}  // namespace
}  // namespace lips::testing
