#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/cluster_state.h"

namespace lips {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Two zones with a node each; a data set of two blocks that nobody has written yet.
ClusterSnapshot two_zones() {
  ClusterSnapshot cluster;
  cluster.pools.push_back(Pool{});
  cluster.profiles.push_back({});
  cluster.data_sets.push_back({"output", BlockId(0), 2, {}, {}});
  for (std::uint32_t zone = 0; zone < 2; ++zone) {
    cluster.zones.push_back({"zone"});
    Node node;
    node.zone = ZoneId(zone);
    node.profile = ProfileId(0);
    node.capacity = {Cores(2), Mebibytes(0), 2};
    const NodeId id = cluster.nodes.push_back(node);
    DataStore store;
    store.zone = ZoneId(zone);
    store.node = id;
    cluster.stores.push_back(store);
    Block block;
    block.data_set = DataSetId(0);
    block.size = Mebibytes(64);
    cluster.blocks.push_back(block);
  }
  return cluster;
}

JobArrived reader(bool held) {
  JobArrived arrived;
  arrived.job.pool = PoolId(0);
  arrived.job.request = {Cores(1), Mebibytes(0), 1};
  arrived.job.inputs = {{DataSetId(0), 1}};
  arrived.job.map_tasks = 2;
  arrived.job.held = held;
  for (std::uint32_t i = 0; i < 2; ++i) {
    Task task;
    task.block = BlockId(i);
    task.cpu = CpuSeconds(10);
    task.input = Mebibytes(64);
    arrived.tasks.push_back(task);
  }
  return arrived;
}

TEST(HeldJob, HasNoPendingTaskUntilItIsReleased) {
  ClusterState state(two_zones());
  state.apply(reader(true));
  EXPECT_EQ(state.snapshot().pending_tasks, 0u);
  EXPECT_THAT(state.snapshot().pending, IsEmpty());
  EXPECT_THAT(state.snapshot().held, ElementsAre(JobId(0)));
  state.apply(ReplicaAdded{BlockId(0), {StoreId(1), false, {}}});
  state.apply(ReplicaAdded{BlockId(1), {StoreId(1), false, {}}});
  state.advance(TimePoint(seconds(30)));
  state.apply(JobReleased{JobId(0)});
  EXPECT_EQ(state.snapshot().pending_tasks, 2u);
  EXPECT_THAT(state.snapshot().pending, ElementsAre(JobId(0)));
  EXPECT_THAT(state.snapshot().held, IsEmpty());
  EXPECT_EQ(state.snapshot().jobs[JobId(0)].arrival, TimePoint(seconds(30)));  // it waits for its turn from now on
}

TEST(HeldJob, SeesTheReplicasThatWereWrittenMeanwhile) {
  ClusterState state(two_zones());
  state.apply(reader(true));
  state.apply(ReplicaAdded{BlockId(0), {StoreId(1), false, {}}});
  state.apply(ReplicaAdded{BlockId(1), {StoreId(0), false, {}}});
  state.apply(JobReleased{JobId(0)});
  const auto& groups = state.snapshot().groups[JobId(0)];
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_TRUE(groups[0].zones.contains(ZoneId(1)));
  EXPECT_TRUE(groups[1].zones.contains(ZoneId(0)));
  std::vector<TaskId> near;
  state.snapshot().locality[JobId(0)].visit(NodeId(1), [&](TaskId task) { return near.push_back(task), true; });
  EXPECT_THAT(near, ElementsAre(TaskId(0)));
}

TEST(HeldJob, IsReleasedOnce) {
  ClusterState state(two_zones());
  state.apply(reader(true));
  state.apply(JobReleased{JobId(0)});
  state.apply(JobReleased{JobId(0)});
  EXPECT_EQ(state.snapshot().pending_tasks, 2u);
  state.apply(reader(false));
  state.apply(JobReleased{JobId(1)});
  EXPECT_EQ(state.snapshot().pending_tasks, 4u);
}

}  // namespace
}  // namespace lips
