#include "simulation/random_snapshot.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace lips::simulation {
namespace {

CpuSeconds pending_work(const ClusterSnapshot& cluster) {
  CpuSeconds work;
  for (const Task& task : cluster.tasks)
    if (task.state == TaskState::pending) work += task.cpu;
  return work;
}

CpuSeconds capacity(const ClusterSnapshot& cluster, Duration span) {
  CpuSeconds work;
  for (const Node& node : cluster.nodes) work += node.work_per(span);
  return work;
}

std::size_t classes(const ClusterSnapshot& cluster) {
  std::set<std::tuple<std::uint32_t, double, double>> found;
  for (const Node& node : cluster.nodes) found.insert({node.zone.index(), node.cpu_price.value(), node.speed});
  return found.size();
}

TEST(RandomSnapshot, HasTheCountsAndTheLoadOfItsShape) {
  SnapshotShape shape;
  shape.nodes = 400;
  shape.tasks = 5000;
  shape.classes = 60;
  shape.zones = 6;
  shape.load = 0.95;
  const ClusterState state = random_cluster(shape);
  const ClusterSnapshot& cluster = state.snapshot();
  EXPECT_EQ(cluster.nodes.size(), 400u);
  EXPECT_EQ(cluster.zones.size(), 6u);
  EXPECT_EQ(cluster.tasks.size(), 5000u);
  EXPECT_EQ(cluster.pending_tasks, 5000u);
  EXPECT_EQ(cluster.jobs.size(), 100u);
  EXPECT_EQ(classes(cluster), 60u);
  EXPECT_NEAR(pending_work(cluster) / capacity(cluster, shape.horizon), 0.95, 1e-9);
}

TEST(RandomSnapshot, MakesAsManyClassesAsAreAskedFor) {
  for (std::uint32_t wanted : {1u, 2u, 7u, 240u, 1000u}) {
    SnapshotShape shape;
    shape.nodes = 2000;
    shape.zones = wanted < 6 ? wanted : 6;
    shape.tasks = 10;
    shape.classes = wanted;
    EXPECT_EQ(classes(random_cluster(shape).snapshot()), wanted);
  }
}

TEST(RandomSnapshot, IsTheSameForEqualSeedsAndAnotherForAnother) {
  SnapshotShape shape;
  shape.skew = 1;
  const ClusterState one = random_cluster(shape), same = random_cluster(shape);
  shape.seed = 2;
  const ClusterState other = random_cluster(shape);
  const auto fingerprint = [](const ClusterState& state) {
    double sum = 0;
    for (const Block& block : state.snapshot().blocks)
      for (const Replica& replica : block.replicas) sum = sum * 0.75 + replica.store.index();
    return sum;
  };
  EXPECT_EQ(fingerprint(one), fingerprint(same));
  EXPECT_NE(fingerprint(one), fingerprint(other));
}

TEST(RandomSnapshot, PutsReplicasOnDifferentNodesOfOneOrTwoZones) {
  for (std::uint32_t zones : {1u, 2u}) {
    SnapshotShape shape;
    shape.zones_per_block = zones;
    const ClusterState state = random_cluster(shape);
    int in_two = 0;
    for (const Block& block : state.snapshot().blocks) {
      ASSERT_EQ(block.replicas.size(), 3u);
      std::set<StoreId> stores;
      for (const Replica& replica : block.replicas) stores.insert(replica.store);
      EXPECT_EQ(stores.size(), 3u);
      EXPECT_LE(block.zones.size(), static_cast<int>(zones));
      in_two += block.zones.size() == 2;
    }
    if (zones == 2) {
      EXPECT_GT(in_two, 900);
    }
  }
}

TEST(RandomSnapshot, SkewFavoursTheFirstZone) {
  SnapshotShape shape;
  shape.skew = 2;
  shape.zones_per_block = 1;
  const ClusterState state = random_cluster(shape);
  std::size_t hot = 0;
  for (const Block& block : state.snapshot().blocks) hot += block.zones.contains(ZoneId(0));
  EXPECT_GT(hot, state.snapshot().blocks.size() * 6 / 10);
}

TEST(RandomSnapshot, BusyNodesRunTasks) {
  SnapshotShape shape;
  shape.busy = 0.5;
  const ClusterState state = random_cluster(shape);
  const ClusterSnapshot& cluster = state.snapshot();
  double slots = 0, free = 0;
  for (NodeId node : cluster.nodes.ids()) {
    slots += cluster.nodes[node].capacity.slots;
    free += cluster.free[node].slots;
  }
  EXPECT_NEAR(free / slots, 0.5, 0.1);
  EXPECT_EQ(cluster.running.size(), static_cast<std::size_t>(slots - free));
  EXPECT_EQ(cluster.pending_tasks, shape.tasks);
}

TEST(RandomSnapshot, SharesDataAndAddsSelectorsAndShuffleWhenAsked) {
  SnapshotShape shape;
  shape.share_of_jobs_sharing_data = 0.8;
  shape.share_of_jobs_with_selectors = 0.5;
  shape.share_of_jobs_with_shuffle = 0.5;
  shape.share_of_jobs_without_input = 0.2;
  const ClusterState state = random_cluster(shape);
  const ClusterSnapshot& cluster = state.snapshot();
  std::size_t readers = 0, constrained = 0, shuffling = 0;
  for (const Job& job : cluster.jobs) {
    readers += job.inputs.size();
    constrained += job.constraint.valid();
    shuffling += job.reduce_tasks > 0;
  }
  EXPECT_LT(cluster.data_sets.size(), readers);
  EXPECT_LT(readers, cluster.jobs.size());
  EXPECT_GT(constrained, 0u);
  EXPECT_GT(shuffling, 0u);
  EXPECT_LT(cluster.pending_tasks, cluster.tasks.size());
}

TEST(RandomSnapshot, FreeOfChargeMeansThatNothingHasAPrice) {
  SnapshotShape shape;
  shape.free_of_charge = true;
  const ClusterState state = random_cluster(shape);
  for (const Node& node : state.snapshot().nodes) EXPECT_EQ(node.cpu_price.value(), 0);
  EXPECT_EQ(random_costs(shape).transfer(ZoneId(0), ZoneId(1)).value(), 0);
}

TEST(RandomSnapshot, CostsTwoCentsAGigabyteAcrossZones) {
  EXPECT_NEAR(random_costs({}).transfer(ZoneId(0), ZoneId(2)).value() * mebibytes_per_gigabyte, 0.02, 1e-12);
  EXPECT_EQ(random_costs({}).transfer(ZoneId(1), ZoneId(1)).value(), 0);
}

TEST(RandomSnapshot, SmallShapesAllCanBeMade) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const SnapshotShape shape = random_small_shape(seed);
    const ClusterState state = random_cluster(shape);
    std::size_t tasks = 0;
    for (const Job& job : state.snapshot().jobs)
      if (job.name.starts_with("job-")) tasks += job.tasks();
    EXPECT_EQ(tasks, shape.tasks);
    EXPECT_EQ(random_costs(shape).zones(), shape.zones);
  }
}

}  // namespace
}  // namespace lips::simulation
