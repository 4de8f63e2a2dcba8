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
  static Node cordoned(Node node) {
    node.schedulable = false;
    return node;
  }
  // A profile that the constraint "disk = ssd" does not meet, and a job that asks for it.
  void arrive_choosy() {
    ClusterSnapshot start = fake::two_nodes();
    start.profiles[ProfileId(0)].labels = {{"disk", "ssd"}};
    start.profiles.push_back({});
    PlacementConstraint ssd;
    ssd.required = {{"disk", LabelRequirement::Operator::in, {"ssd"}}};
    start.constraints.push_back(ssd);
    state = ClusterState(std::move(start));
    JobArrived choosy = fake::job(2);
    choosy.job.constraint = ConstraintId(0);
    state.apply(choosy);
  }

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

// The words that observers were told, and the state at that moment.
class Watching : public Observer {
 public:
  void on_bind(const ClusterSnapshot& cluster, const Assignment& assignment) override {
    told.push_back(assignment.task.index());
    states.push_back(cluster.tasks[assignment.task].state);
  }
  std::vector<std::uint32_t> told;
  std::vector<TaskState> states;
};

TEST_F(DispatcherTest, PreparesAssumesSendsAndOnlyThenTells) {
  arrive(2);
  Watching watching;
  std::vector<Observer*> observers{&watching};
  std::vector<std::string> inputs;
  cluster.on_bind = [&](const PreparedBinding& binding) {
    EXPECT_EQ(state.snapshot().tasks[binding.assignment.task].state, TaskState::bound)
        << "room is taken before sending";
    EXPECT_EQ(watching.told.size(), cluster.bound.size()) << "nobody is told of what was not sent";
    inputs.push_back(binding.input);
  };
  Plan plan;
  plan.assignments = {on(0, 0), on(1, 1)};
  dispatcher.accept(plan);
  dispatcher.dispatch_all(observers);
  EXPECT_EQ(bound(), (Tasks{0, 1}));
  EXPECT_EQ(watching.told, (Tasks{0, 1}));
  EXPECT_EQ(watching.states, (std::vector{TaskState::bound, TaskState::bound}));
  EXPECT_EQ(inputs, (std::vector<std::string>{"prepared", "prepared"})) << "what prepare() made is what is sent";
}

TEST_F(DispatcherTest, ARefusedTaskIsNotBoundNorToldAndTakesNoRoom) {
  arrive(3);
  Watching watching;
  std::vector<Observer*> observers{&watching};
  cluster.refuses = [](const Assignment& assignment) { return assignment.task == TaskId(0); };
  Plan plan;
  plan.assignments = {on(0, 0), on(1, 0), on(2, 0)};
  dispatcher.accept(plan);
  dispatcher.dispatch_all(observers);
  EXPECT_EQ(bound(), (Tasks{1, 2})) << "those behind it go ahead into its room";
  EXPECT_EQ(watching.told, (Tasks{1, 2}));
  EXPECT_EQ(state.snapshot().tasks[TaskId(0)].state, TaskState::pending);
  EXPECT_EQ(dispatcher.queued(), 0u) << "it is left to the next plan";
  cluster.refuses = {};
  state.apply(TaskFinished{TaskId(1), NodeId(0)});
  plan.assignments = {on(0, 0)};
  dispatcher.accept(plan);
  dispatcher.dispatch_all(observers);
  EXPECT_EQ(bound(), (Tasks{1, 2, 0}));
}

TEST_F(DispatcherTest, AskedAnewANodeThatWasCordonedSinceThePlanTakesNothing) {
  arrive(3);
  Watching watching;
  std::vector<Observer*> observers{&watching};
  Plan plan;
  for (std::uint32_t task = 0; task < 3; ++task) plan.assignments.push_back(on(task, 0));
  dispatcher.accept(plan);
  dispatcher.dispatch_all(observers);
  EXPECT_EQ(bound(), (Tasks{0, 1}));
  state.apply(NodeChanged{NodeId(0), cordoned(state.snapshot().nodes[NodeId(0)])});
  state.apply(TaskFinished{TaskId(0), NodeId(0)});
  dispatcher.dispatch_on(NodeId(0), observers);
  EXPECT_EQ(bound(), (Tasks{0, 1}));
  EXPECT_EQ(watching.told, (Tasks{0, 1}));
  EXPECT_EQ(dispatcher.queued(), 0u);
  EXPECT_EQ(state.snapshot().tasks[TaskId(2)].state, TaskState::pending);
}

TEST_F(DispatcherTest, AskedAnewANodeThatWasTaintedOrRelabelledSinceThePlanTakesNothing) {
  arrive_choosy();
  Plan plan;
  plan.assignments = {on(0, 0), on(1, 1)};
  dispatcher.accept(plan);
  Node relabelled = state.snapshot().nodes[NodeId(0)];
  relabelled.profile = ProfileId(1);
  state.apply(NodeChanged{NodeId(0), relabelled});
  dispatcher.dispatch_all(nobody);
  EXPECT_EQ(bound(), (Tasks{1}));
  EXPECT_EQ(dispatcher.queued(), 0u);
  EXPECT_FALSE(state.assume(on(0, 0))) << "the state refuses it too";
}

// The task that is taken back ends first; then the task for which it ends starts, before all others that wait there.
TEST_F(DispatcherTest, TakesTasksBackOnce) {
  arrive(4);
  for (const std::uint32_t task : {0, 1}) state.apply(TaskFound{TaskId(task), NodeId(0), {}});
  Plan plan;
  plan.reclaims = {{TaskId(1), PoolId(0), Usd(1)}};
  plan.assignments = {on(2, 0), on(3, 0)};
  dispatcher.accept(plan);
  dispatcher.dispatch_all(nobody);
  EXPECT_EQ(cluster.reclaims, plan.reclaims);
  EXPECT_EQ(bound(), Tasks{});
  dispatcher.accept(plan);
  EXPECT_EQ(cluster.reclaims.size(), 1u) << "it was asked for already";
  state.apply(TaskLost{TaskId(1)});
  dispatcher.dispatch_on(NodeId(0), nobody);
  EXPECT_EQ(bound(), (Tasks{2}));
  plan.reclaims = {{TaskId(3), PoolId(0), Usd(1)}};
  dispatcher.accept(plan);
  EXPECT_EQ(cluster.reclaims.size(), 1u) << "a waiting task has nothing to give";
}

}  // namespace
}  // namespace lips
