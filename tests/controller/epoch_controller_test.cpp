#include "controller/epoch_controller.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/controller/fake_cluster.h"

namespace lips {
namespace {

using fake::at;
using Times = std::vector<TimePoint>;

Cadence cadence(Cadence::Trigger trigger, double interval, double least = 0) {
  return {trigger, seconds(interval), seconds(least)};
}

struct Setting {
  explicit Setting(const Policy& policy) : controller(state, cluster, policy, costs) {}
  Result<void> run(const ControllerSettings& settings = {}) { return controller.run(settings); }
  ClusterState state{fake::two_nodes()};
  fake::Cluster cluster;
  CostModel costs;
  EpochController controller;
};

TEST(EpochController, PlansOnceAnEpochWhateverHappens) {
  fake::ScriptedPolicy policy(cadence(Cadence::Trigger::epoch, 10));
  Setting setting(policy);
  setting.cluster.say(0, {fake::job(1)});
  for (double when : {1.0, 2.0, 12.0, 13.0, 25.0}) setting.cluster.say(when, {fake::job(1)});
  ASSERT_TRUE(setting.run());
  EXPECT_EQ(policy.asked, (Times{at(0), at(10), at(20)}));
}

TEST(EpochController, PlansOnEventsButNotMoreThanOnceEveryLeast) {
  fake::ScriptedPolicy policy(cadence(Cadence::Trigger::events, 100, 5));
  Setting setting(policy);
  for (double when : {0.0, 1.0, 2.0, 4.0, 20.0, 22.0, 30.0}) setting.cluster.say(when, {fake::job(1)});
  ASSERT_TRUE(setting.run());
  // At once; then the changes of 1 to 4 s together at 5 s; then at 20 s; 22 s waits until 25 s.
  EXPECT_EQ(policy.asked, (Times{at(0), at(5), at(20), at(25), at(30)}));
}

// The clock stands still while these plans are made.
TEST(EpochController, RestsForAMultipleOfThePlanningTimeAndNoLongerThanLeast) {
  for (const auto& [planning, second] : {std::pair(0.5, 2.0), std::pair(3.0, 5.0)}) {
    fake::ScriptedPolicy policy(cadence(Cadence::Trigger::events, 100, 5));
    Setting setting(policy);
    for (double when : {0.0, 1.0, 20.0}) setting.cluster.say(when, {fake::job(1)});
    ControllerSettings rules;
    rules.rest_after_planning = 4;
    rules.least_planning = seconds(planning);
    ASSERT_TRUE(setting.run(rules));
    EXPECT_EQ(policy.asked, (Times{at(0), at(second), at(20)}));
  }
}

TEST(EpochController, PlansAtLeastEveryIntervalWithoutEvents) {
  fake::ScriptedPolicy policy(cadence(Cadence::Trigger::events, 30));
  Setting setting(policy);
  setting.cluster.say(0, {fake::job(1)});
  setting.cluster.say(65, {});
  ASSERT_TRUE(setting.run());
  EXPECT_EQ(policy.asked, (Times{at(0), at(30), at(60)}));
}

TEST(EpochController, PlansAgainWhenThePlanAsksForIt) {
  for (Cadence::Trigger trigger : {Cadence::Trigger::epoch, Cadence::Trigger::events}) {
    fake::ScriptedPolicy policy(cadence(trigger, 100), [](const PolicyInput&) {
      Plan plan;
      plan.replan_after = seconds(7);
      return plan;
    });
    Setting setting(policy);
    setting.cluster.say(0, {fake::job(1)});
    setting.cluster.say(20, {});
    ASSERT_TRUE(setting.run());
    EXPECT_EQ(policy.asked, (Times{at(0), at(7), at(14)}));
  }
}

TEST(EpochController, AConfirmedStartIsNoReasonToPlan) {
  fake::ScriptedPolicy policy(cadence(Cadence::Trigger::events, 100));
  Setting setting(policy);
  setting.cluster.say(0, {fake::job(1)});
  setting.cluster.say(1, {TaskStarted{TaskId(0), NodeId(0)}});
  setting.cluster.say(2, {TaskLost{TaskId(0)}});
  ASSERT_TRUE(setting.run());
  EXPECT_EQ(policy.asked, (Times{at(0), at(2)}));
}

// Where another scheduler binds, tasks are found where the plan sent them.
TEST(EpochController, ATaskThatIsFoundWhereThePlanSentItIsNoReasonToPlan) {
  fake::ScriptedPolicy policy(cadence(Cadence::Trigger::events, 100), [](const PolicyInput& input) {
    Plan plan;
    for (const JobId job : input.cluster.pending)
      for (const TaskGroup& group : input.cluster.groups[job])
        for (const TaskId task : input.cluster.tasks_of(group)) plan.assignments.push_back({task, NodeId(0), {}, {}});
    return plan;
  });
  Setting setting(policy);
  setting.cluster.say(0, {fake::job(2)});
  setting.cluster.say(1, {TaskFound{TaskId(0), NodeId(0), at(1)}});
  setting.cluster.say(2, {TaskFound{TaskId(1), NodeId(1), at(2)}});  // elsewhere
  setting.cluster.say(3, {TaskFound{TaskId(1), NodeId(1), at(2)}});
  ASSERT_TRUE(setting.run());
  EXPECT_EQ(policy.asked, (Times{at(0), at(2)}));
}

// A cluster marks tasks again and again while they run, and each plan may order a node.
TEST(EpochController, MarksAgainstEvictionAreNoReasonToPlan) {
  fake::ScriptedPolicy policy(cadence(Cadence::Trigger::events, 100));
  Setting setting(policy);
  setting.cluster.say(0, {fake::job(1)});
  setting.cluster.say(1, {TasksMarked{{{TaskId(0), at(50)}}}});
  setting.cluster.say(2, {TasksMarked{{}}});
  setting.cluster.say(3, {fake::job(1), TasksMarked{{{TaskId(0), at(60)}}}});
  ASSERT_TRUE(setting.run());
  EXPECT_EQ(policy.asked, (Times{at(0), at(3)}));
}

TEST(EpochController, TellsThePolicyWhichNodesReportAndAsksOnlyThen) {
  fake::ScriptedPolicy policy(cadence(Cadence::Trigger::heartbeats, 3));
  Setting setting(policy);
  setting.cluster.say(0, {fake::job(4)});
  setting.cluster.say(1, {Heartbeat{NodeId(1)}});
  setting.cluster.say(2, {fake::job(1)});
  setting.cluster.say(3, {Heartbeat{NodeId(0)}, Heartbeat{NodeId(1)}});
  ASSERT_TRUE(setting.run());
  EXPECT_EQ(policy.asked, (Times{at(1), at(3)}));
  EXPECT_EQ(policy.reported[0], std::vector<NodeId>{NodeId(1)});
  EXPECT_EQ(policy.reported[1], (std::vector<NodeId>{NodeId(0), NodeId(1)}));
}

TEST(EpochController, AQueueOfSeveralWavesGoesOnBetweenPlans) {
  fake::ScriptedPolicy policy(cadence(Cadence::Trigger::epoch, 1000), [](const PolicyInput& input) {
    Plan plan;
    for (TaskId task : input.cluster.tasks.ids()) plan.assignments.push_back({task, NodeId(0), {}, {}});
    return plan;
  });
  Setting setting(policy);
  setting.cluster.say(0, {fake::job(5)});
  setting.cluster.say(10, {TaskFinished{TaskId(0), NodeId(0)}});
  setting.cluster.say(11, {TaskLost{TaskId(1)}});
  ASSERT_TRUE(setting.run());
  ASSERT_EQ(setting.cluster.bound.size(), 4u);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(setting.cluster.bound[i].task, TaskId(i));
  EXPECT_EQ(policy.asked.size(), 1u);
}

TEST(EpochController, AReplicaThatCameLetsItsTaskGoOnAnyNode) {
  fake::ScriptedPolicy policy(cadence(Cadence::Trigger::epoch, 1000), [](const PolicyInput&) {
    Plan plan;
    plan.moves = {{BlockId(0), StoreId(0), StoreId(1), false}};
    plan.assignments = {{TaskId(0), NodeId(1), StoreId(1), {}}};
    return plan;
  });
  Setting setting(policy);
  setting.cluster.say(0, {fake::job(1, true)});
  setting.cluster.say(5, {ReplicaAdded{BlockId(0), Replica{StoreId(1)}}, MoveEnded{MoveId(0), true}});
  ASSERT_TRUE(setting.run());
  ASSERT_EQ(setting.cluster.bound.size(), 1u);
  EXPECT_EQ(setting.cluster.bound[0].read_from, StoreId(1));
}

TEST(EpochController, HandsThePolicysFailureOn) {
  fake::ScriptedPolicy policy(cadence(Cadence::Trigger::epoch, 10),
                              [](const PolicyInput&) -> Result<Plan> { return fail(ErrorCode::internal, "no plan"); });
  Setting setting(policy);
  setting.cluster.say(0, {fake::job(1)});
  const Result<void> ran = setting.run();
  ASSERT_FALSE(ran.has_value());
  EXPECT_EQ(ran.error().message, "no plan");
}

// A plan keeps two cores empty for half a minute, the next one none.
TEST(EpochController, CountsTheRoomThatPlansKeepForTasksToCome) {
  std::vector<double> seen;
  fake::ScriptedPolicy policy(cadence(Cadence::Trigger::epoch, 30), [&](const PolicyInput& input) {
    seen.push_back(input.cluster.pools[PoolId(0)].unpaid_room.value());
    Plan plan;
    HeldRoom room;
    room.job = JobId(0), room.zone = ZoneId(0), room.tasks = 1, room.room = {Cores(2), Mebibytes(0)};
    if (seen.size() == 1) plan.account.held.push_back(room);
    return plan;
  });
  Setting setting(policy);
  setting.cluster.say(0, {fake::job(1)});
  setting.cluster.say(65, {});
  ASSERT_TRUE(setting.run());
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0], 0);
  EXPECT_NEAR(seen[1], 60, 0.5);
  EXPECT_LT(seen[2], seen[1]);
}

TEST(EpochController, StopsWhenItIsTold) {
  fake::ScriptedPolicy policy(cadence(Cadence::Trigger::epoch, 10));
  Setting setting(policy);
  for (int i = 0; i < 10; ++i) setting.cluster.say(i, {fake::job(1)});
  ControllerSettings settings;
  int asked = 0;
  settings.stop = [&] { return ++asked > 3; };
  ASSERT_TRUE(setting.controller.run(settings));
  EXPECT_EQ(setting.cluster.script.size(), 7u);
}

// Prices waits before each plan, and has its debts remembered.
class Doubling : public WaitingPricer {
 public:
  IdVector<PoolId, double> factors(const ClusterSnapshot& cluster) override {
    return IdVector<PoolId, double>(cluster.pools.size(), factor *= 2);
  }
  std::optional<std::vector<TargetDebt>> to_remember(TimePoint) override {
    return factor > 2 ? std::optional<std::vector<TargetDebt>>({{"", factor, 0}}) : std::nullopt;
  }
  void on_bind(const ClusterSnapshot&, const Assignment&) override {}
  double factor = 1;
};

TEST(EpochController, PricesWaitsBeforeEveryPlanAndRemembersWhatThatTakes) {
  std::vector<double> seen;
  fake::ScriptedPolicy policy(cadence(Cadence::Trigger::events, 30), [&](const PolicyInput& input) {
    seen.push_back(input.cluster.pools[PoolId(0)].waiting_factor);
    return Plan{};
  });
  Setting setting(policy);
  Doubling pricer;
  setting.controller.price_waiting_by(pricer);
  setting.cluster.say(0, {fake::job(1)});
  setting.cluster.say(65, {});
  ASSERT_TRUE(setting.run());
  EXPECT_EQ(seen, (std::vector<double>{2, 4, 8}));
  EXPECT_EQ(setting.cluster.debts, (std::vector<TargetDebt>{{"", 8, 0}}));
  EXPECT_EQ(setting.state.snapshot().target_debts, setting.cluster.debts);
}

}  // namespace
}  // namespace lips
