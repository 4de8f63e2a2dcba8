#include "policies/lips/data/new_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/cluster_state.h"
#include "policies/lips/data/new_data_advice.h"
#include "policies/registry/registry.h"
#include "tests/policies/lips/prices.h"

namespace lips {
namespace {

const UsdPerMebibyte block_price(62.5 * millicent / 64);

ExpectedReader reads(double seconds_a_block) { return {CpuSecondsPerMebibyte(seconds_a_block / 64), 1}; }

ZonePrices prices(double a, double b) {
  ZonePrices prices;
  prices.push_back(UsdPerCpuSecond(a * millicent));
  prices.push_back(UsdPerCpuSecond(b * millicent));
  return prices;
}

ZoneId zone(const std::vector<ExpectedReader>& readers, const ZonePrices& at) {
  return zone_for_new_data(ZoneId(0), readers, uniform_costs(2, block_price), at);
}

TEST(ZoneForNewData, IsTheWritersWhenNobodyReads) { EXPECT_EQ(zone({}, prices(4.44, 0.92)), ZoneId(0)); }

TEST(ZoneForNewData, IsTheWritersWhenOneReaderWouldPayForTheWayItself) {
  EXPECT_EQ(zone({reads(90)}, prices(4.44, 0.92)), ZoneId(0));  // written there or read from here: the same dollars
}

TEST(ZoneForNewData, IsTheReadersWhenTwoOfThemShareTheWay) {
  EXPECT_EQ(zone({reads(90), reads(90)}, prices(4.44, 0.92)), ZoneId(1));
  EXPECT_EQ(zone({reads(20), reads(20)}, prices(2.22, 0.92)), ZoneId(0));             // 2 x 26.0 < 62.5
  EXPECT_EQ(zone({reads(20), reads(20), reads(20)}, prices(2.22, 0.92)), ZoneId(1));  // 3 x 26.0 > 62.5
}

TEST(ZoneForNewData, CountsOnlyTheFractionThatIsRead) {
  std::vector<ExpectedReader> readers = {reads(90), reads(90)};
  for (ExpectedReader& reader : readers) reader.fraction = 0.4;  // together they read less than is written
  EXPECT_EQ(zone(readers, prices(4.44, 0.92)), ZoneId(0));
}

TEST(ZoneForNewData, NeverIsAZoneWithoutNodes) {
  EXPECT_EQ(zone({reads(90), reads(90)}, prices(4.44, std::numeric_limits<double>::infinity())), ZoneId(0));
}

// A dear node in zone 0, two cheap ones in zone 1; two jobs wait for what a third one writes.
ClusterState waiting_readers(int readers, double seconds_a_block = 90) {
  ClusterSnapshot cluster;
  cluster.pools.push_back(Pool{});
  cluster.profiles.push_back({});
  cluster.data_sets.push_back({"output", BlockId(0), 2, {}, {}});
  for (std::uint32_t i = 0; i < 3; ++i) {
    if (i < 2) cluster.zones.push_back({"zone"});
    Node node;
    node.zone = ZoneId(i == 0 ? 0 : 1);
    node.profile = ProfileId(0);
    node.capacity = {Cores(2), Mebibytes(0), 2};
    node.cpu_price = UsdPerCpuSecond((i == 0 ? 4.44 : 0.92) * millicent);
    DataStore store;
    store.zone = node.zone;
    store.node = cluster.nodes.push_back(node);
    cluster.stores.push_back(store);
  }
  for (int i = 0; i < 2; ++i) cluster.blocks.push_back({DataSetId(0), Mebibytes(64), {}, {}});
  ClusterState state(std::move(cluster));
  JobArrived writer;
  writer.job.pool = PoolId(0);
  writer.job.request = {Cores(1), Mebibytes(0), 1};
  writer.job.map_tasks = 2;
  writer.job.output = DataSetId(0);
  writer.tasks.resize(2);
  for (Task& task : writer.tasks) task.cpu = CpuSeconds(60);
  state.apply(writer);
  for (int i = 0; i < readers; ++i) {
    JobArrived waits = writer;
    waits.job.held = true;
    waits.job.output = DataSetId::none();
    waits.job.inputs = {{DataSetId(0), 1}};
    for (std::uint32_t task = 0; task < 2; ++task) {
      waits.tasks[task].block = BlockId(task);
      waits.tasks[task].cpu = CpuSeconds(seconds_a_block);
      waits.tasks[task].input = Mebibytes(64);
    }
    state.apply(waits);
  }
  return state;
}

TEST(PlacementOfNewData, GoesToTheCheapNodesOfThoseWhoWait) {
  const ClusterState state = waiting_readers(2);
  const CostModel costs = uniform_costs(2, block_price);
  EXPECT_EQ(placement_of_new_data(state.snapshot(), costs, {DataSetId(0), Mebibytes(64), NodeId(0)}), StoreId(1));
  EXPECT_EQ(placement_of_new_data(state.snapshot(), costs, {DataSetId(0), Mebibytes(64), NodeId(2)}), StoreId(2));
}

TEST(PlacementOfNewData, StaysWithTheWriterWhenThatCostsNoMore) {
  const ClusterState state = waiting_readers(1);
  EXPECT_EQ(
      placement_of_new_data(state.snapshot(), uniform_costs(2, block_price), {DataSetId(0), Mebibytes(64), NodeId(0)}),
      StoreId(0));
}

TEST(PlacementOfNewData, StaysWhenTheWaitingWorkFillsTheDearNodesToo) {
  const ClusterState state = waiting_readers(2, 90 * 400);  // 144,000 CPU-seconds for 14,400 an hour and node
  const ZonePrices full = zone_prices(state.snapshot(), std::chrono::hours(1));
  EXPECT_DOUBLE_EQ(full[ZoneId(0)].value(), full[ZoneId(1)].value());
  EXPECT_EQ(
      placement_of_new_data(state.snapshot(), uniform_costs(2, block_price), {DataSetId(0), Mebibytes(64), NodeId(0)}),
      StoreId(0));
}

// The same cluster with names.
NewDataAdvice advice() {
  ClusterSnapshot cluster = waiting_readers(0).snapshot();
  for (const NodeId node : cluster.nodes.ids()) {
    cluster.nodes[node].name = "node-" + std::to_string(node.index());
    cluster.stores[cluster.node_store[node]].name = "store-" + std::to_string(node.index());
    cluster.zones[cluster.nodes[node].zone].name = "zone-" + std::to_string(cluster.nodes[node].zone.index());
  }
  cluster.stores[StoreId(1)].capacity = Mebibytes(100);
  return advice_of(cluster, uniform_costs(2, block_price), std::chrono::hours(1));
}

TEST(NewDataAdvice, NamesZoneAndStoreForTheReadersThatAreToldOf) {
  const auto two = place_for(advice(), {"node-0", Mebibytes(64), {reads(90), reads(90)}});
  ASSERT_TRUE(two);
  EXPECT_EQ(two->zone, "zone-1");
  EXPECT_EQ(two->store, "store-1");
  EXPECT_FALSE(two->stays);
  EXPECT_NEAR(two->saved.value(), block_price.value(), 1e-12) << "one crossing instead of two";
  const auto one = place_for(advice(), {"node-0", Mebibytes(64), {reads(90)}});
  ASSERT_TRUE(one);
  EXPECT_TRUE(one->stays);
  EXPECT_EQ(one->store, "store-0");
}

TEST(NewDataAdvice, PassesOverADirectoryWithoutRoomAndRefusesAnUnknownNode) {
  const auto large = place_for(advice(), {"node-0", Mebibytes(101), {reads(90), reads(90)}});
  ASSERT_TRUE(large);
  EXPECT_EQ(large->store, "store-2");
  const auto unknown = place_for(advice(), {"node-9", Mebibytes(64), {}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::not_found);
}

TEST(PlaceNewData, SpreadsTheBlocksOverTheCheapNodesOfAPlan) {
  const ClusterState state = waiting_readers(2);
  const CostModel costs = uniform_costs(2, block_price);
  Plan plan;
  plan.assignments = {{TaskId(0), NodeId(0), {}, {}}, {TaskId(1), NodeId(0), {}, {}}};
  place_new_data({state.snapshot(), costs, 1, {}, nullptr}, std::chrono::hours(1), plan);
  EXPECT_EQ(plan.assignments[0].write_to, StoreId(1));
  EXPECT_EQ(plan.assignments[1].write_to, StoreId(2));
}

TEST(PlaceNewData, IsLeftToTheFileSystemWhenNobodyWaits) {
  const ClusterState state = waiting_readers(0);
  const CostModel costs = uniform_costs(2, block_price);
  for (const char* name : {"lips", "lips-paper"}) {
    const auto policy = make_policy(name, {});
    ASSERT_TRUE(policy);
    const auto plan = (*policy)->decide({state.snapshot(), costs, 1, {}, nullptr});
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->assignments.size(), 2u) << name;
    for (const Assignment& assignment : plan->assignments) EXPECT_FALSE(assignment.write_to.valid()) << name;
  }
}

}  // namespace
}  // namespace lips
