#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "policies/papers/lips_paper/paper_model_snapshot.h"
#include "simulation/random_snapshot.h"

namespace lips::paper {
namespace {

using testing::ElementsAre;

// Three nodes: two alike in zone a, a faster one in zone b; a data set of four blocks, two on each of the first two
// nodes.
ClusterSnapshot three_nodes() {
  ClusterSnapshot start;
  start.zones.push_back({"a"});
  start.zones.push_back({"b"});
  start.profiles.push_back({});
  start.pools.push_back(Pool{.name = "default", .minimum = {}, .maximum = {}, .shortfall_price = {}});
  for (int n = 0; n < 3; ++n) {
    Node node;
    node.zone = ZoneId(n == 2 ? 1 : 0);
    node.profile = ProfileId(0);
    node.speed = n == 2 ? 2.5 : 1;
    node.capacity = {Cores(2), Mebibytes(4096), 2};
    node.cpu_price = UsdPerCpuSecond(1e-5);
    DataStore store;
    store.zone = node.zone;
    store.node = start.nodes.push_back(node);
    store.capacity = Mebibytes(n == 0 ? 0 : 1000);
    start.stores.push_back(store);
  }
  start.data_sets.push_back({"d", BlockId(0), 4, {}, {}});
  for (std::uint32_t b = 0; b < 4; ++b)
    start.blocks.push_back({DataSetId(0), Mebibytes(64), {}, {{StoreId(b / 2), false, {}}}});
  return start;
}

JobArrived reader(std::uint32_t first_block, std::uint32_t tasks, int arrival = 0) {
  JobArrived arrived;
  arrived.job.pool = PoolId(0);
  arrived.job.arrival = TimePoint(std::chrono::seconds(arrival));
  arrived.job.request = {Cores(1), Mebibytes(512), 1};
  arrived.job.map_tasks = tasks;
  for (std::uint32_t t = 0; t < tasks; ++t) {
    Task task;
    task.block = BlockId(first_block + t);
    task.cpu = CpuSeconds(20);
    task.input = Mebibytes(64);
    arrived.tasks.push_back(task);
  }
  return arrived;
}

constexpr Duration epoch = std::chrono::seconds(100);
const CostModel costs = uniform_costs(2, UsdPerMebibyte(1e-5));

TEST(PaperInstance, MakesAMachineOfEachNodeOrOfEachClass) {
  ClusterState state(three_nodes());
  state.apply(reader(0, 4));
  const SnapshotInstance nodes = paper_instance(state.snapshot(), costs, epoch);
  EXPECT_EQ(nodes.instance.machines.size(), 3U);
  EXPECT_EQ(nodes.instance.stores.size(), 3U);
  EXPECT_EQ(nodes.instance.data.size(), 2U) << "blocks with the same stores are one object";
  const SnapshotInstance classes = paper_instance(state.snapshot(), costs, epoch, Granularity::classes);
  ASSERT_EQ(classes.instance.machines.size(), 2U);
  EXPECT_DOUBLE_EQ(classes.instance.machines[0].capacity.value(), 400);
  EXPECT_DOUBLE_EQ(classes.instance.machines[1].capacity.value(), 500);
  EXPECT_THAT(classes.machine_nodes[0], ElementsAre(NodeId(0), NodeId(1)));
  ASSERT_EQ(classes.instance.stores.size(), 2U);
  EXPECT_FALSE(classes.instance.stores[0].limited) << "one of its stores is not";
  EXPECT_TRUE(classes.instance.stores[1].limited);
  EXPECT_EQ(classes.instance.data.size(), 1U);
  EXPECT_DOUBLE_EQ(classes.instance.data[0].size.value(), 256);
}

TEST(PaperInstance, TellsBlocksApartByTheJobsThatStillReadThem) {
  ClusterState state(three_nodes());
  state.apply(reader(0, 4));
  state.apply(reader(2, 2));
  const SnapshotInstance classes = paper_instance(state.snapshot(), costs, epoch, Granularity::classes);
  ASSERT_EQ(classes.instance.data.size(), 2U);
  ASSERT_EQ(classes.instance.parts.size(), 3U);
  EXPECT_EQ(classes.instance.parts[1].data, classes.instance.parts[2].data);
  EXPECT_THAT(classes.data_blocks[1], ElementsAre(BlockId(2), BlockId(3)));
}

TEST(PaperInstance, TakesRunningTasksOffTheirNodesCapacityAndPricesWaitingByTheEpochsWaited) {
  ClusterState state(three_nodes());
  state.advance(TimePoint(std::chrono::seconds(250)));
  state.apply(reader(0, 4));
  state.apply(reader(0, 1, 250));
  ASSERT_TRUE(state.assume({TaskId(0), NodeId(2), StoreId(0), StoreId::none()}));
  const SnapshotInstance nodes = paper_instance(state.snapshot(), costs, epoch);
  EXPECT_NEAR(nodes.capacity[NodeId(2)].value(), 500 - 20, 1e-3);
  EXPECT_EQ(nodes.instance.jobs[0].ageing, 3);
  EXPECT_EQ(nodes.instance.jobs[1].ageing, 1);
}

TEST(PaperInstance, HoldsEveryPendingTaskOnce) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const simulation::SnapshotShape shape = simulation::random_small_shape(seed);
    const ClusterState state = simulation::random_cluster(shape);
    for (Granularity granularity : {Granularity::nodes, Granularity::classes}) {
      const SnapshotInstance made =
          paper_instance(state.snapshot(), simulation::random_costs(shape), epoch, granularity);
      std::set<TaskId> tasks;
      std::size_t count = made.left_out.size();
      for (const Deferral& left_out : made.left_out) tasks.insert(left_out.task);
      for (std::size_t part = 0; part < made.part_tasks.size(); ++part) {
        count += made.part_tasks[part].size();
        double cpu = 0;
        for (TaskId task : made.part_tasks[part]) {
          tasks.insert(task);
          cpu += state.snapshot().tasks[task].cpu.value();
        }
        EXPECT_NEAR(made.instance.parts[part].cpu.value(), cpu, 1e-9 * cpu);
      }
      EXPECT_EQ(tasks.size(), count);
      EXPECT_EQ(count, state.snapshot().pending_tasks);
    }
  }
}

}  // namespace
}  // namespace lips::paper
