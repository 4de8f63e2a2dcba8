#include "controller/dispatcher.h"

#include <gtest/gtest.h>

#include "tests/controller/fake_cluster.h"

namespace lips {
namespace {

class DispatcherTest : public testing::Test {
 public:
  void arrive(std::uint32_t tasks, bool reads = false) { state.apply(fake::job(tasks, reads)); }
  Assignment on(std::uint32_t task, std::uint32_t node, StoreId from = {}) {
    return {TaskId(task), NodeId(node), from, {}};
  }
  std::vector<std::uint32_t> bound() const {
    std::vector<std::uint32_t> tasks;
    for (const Assignment& assignment : cluster.bound) tasks.push_back(assignment.task.index());
    return tasks;
  }
  using Tasks = std::vector<std::uint32_t>;

  ClusterState state{fake::two_nodes()};
  fake::Cluster cluster;
  Dispatcher dispatcher{state, cluster};
  std::vector<Observer*> nobody;
};

TEST_F(DispatcherTest, BindsInWavesAsCapacityFrees) {
  arrive(4);
  Plan plan;
  for (std::uint32_t task : {3u, 0u, 2u, 1u}) plan.assignments.push_back(on(task, 0));
  dispatcher.accept(plan);
  dispatcher.dispatch_all(nobody);
  EXPECT_EQ(bound(), (Tasks{3, 0}));
  EXPECT_EQ(dispatcher.queued(), 2u);
  dispatcher.dispatch_all(nobody);
  EXPECT_EQ(bound(), (Tasks{3, 0}));
  state.apply(TaskFinished{TaskId(3), NodeId(0)});
  dispatcher.dispatch_on(NodeId(0), nobody);
  EXPECT_EQ(bound(), (Tasks{3, 0, 2}));
  EXPECT_EQ(dispatcher.queued(), 1u);
}

TEST_F(DispatcherTest, ATaskWaitsForTheMoveOfItsDataAndOthersGoAhead) {
  arrive(2, true);
  Plan plan;
  plan.moves = {{BlockId(0), StoreId(0), StoreId(1), false}};
  plan.assignments = {on(0, 1, StoreId(1)), on(1, 1)};
  dispatcher.accept(plan);
  dispatcher.dispatch_all(nobody);
  ASSERT_EQ(cluster.moves.size(), 1u);
  EXPECT_EQ(state.snapshot().moves.size(), 1u);
  EXPECT_EQ(bound(), (Tasks{1}));
  state.apply(ReplicaAdded{BlockId(0), Replica{StoreId(1)}});
  state.apply(MoveEnded{cluster.moves[0].first, true});
  dispatcher.dispatch_all(nobody);
  EXPECT_EQ(bound(), (Tasks{1, 0}));
  EXPECT_TRUE(state.snapshot().moves.empty());
}

TEST_F(DispatcherTest, ALargeTaskIsNotOvertakenOnItsNode) {
  JobArrived large = fake::job(1);
  large.job.request.cpu = Cores(2);
  arrive(1);
  state.apply(large);
  arrive(1);
  Plan plan;
  plan.assignments = {on(0, 0), on(1, 0), on(2, 0)};
  dispatcher.accept(plan);
  dispatcher.dispatch_all(nobody);
  EXPECT_EQ(bound(), (Tasks{0}));
  state.apply(TaskFinished{TaskId(0), NodeId(0)});
  dispatcher.dispatch_on(NodeId(0), nobody);
  EXPECT_EQ(bound(), (Tasks{0, 1}));
}

TEST_F(DispatcherTest, TheNextPlanReplacesTheQueue) {
  arrive(4);
  Plan plan;
  for (std::uint32_t task = 0; task < 4; ++task) plan.assignments.push_back(on(task, 0));
  dispatcher.accept(plan);
  dispatcher.dispatch_all(nobody);
  Plan other;
  other.assignments = {on(3, 1)};
  dispatcher.accept(other);
  dispatcher.dispatch_all(nobody);
  EXPECT_EQ(bound(), (Tasks{0, 1, 3}));
  EXPECT_EQ(dispatcher.queued(), 0u);
}

TEST_F(DispatcherTest, SkipsWhatIsNoLongerPending) {
  arrive(3);
  Plan plan;
  plan.assignments = {on(0, 0), on(0, 1), on(1, 1)};
  dispatcher.accept(plan);
  dispatcher.dispatch_all(nobody);
  EXPECT_EQ(bound(), (Tasks{0, 1}));
}

TEST_F(DispatcherTest, GivesEveryMoveAnIdOfItsOwnAndPassesDropsAndMemoriesOn) {
  arrive(1);
  Plan plan;
  plan.moves = {{BlockId(0), StoreId(0), StoreId(1), false}};
  plan.drops = {{BlockId(0), StoreId(1)}};
  JobMemory memory;
  memory.home = ZoneId(0);
  plan.remember = {{JobId(0), memory}};
  dispatcher.accept(plan);
  dispatcher.accept(plan);
  ASSERT_EQ(cluster.moves.size(), 2u);
  EXPECT_NE(cluster.moves[0].first, cluster.moves[1].first);
  EXPECT_EQ(cluster.drops.size(), 2u);
  EXPECT_EQ(cluster.memories.size(), 2u);
  EXPECT_EQ(state.snapshot().jobs[JobId(0)].memory.home, ZoneId(0));
}

}  // namespace
}  // namespace lips
