#include "controller/checked_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <new>
#include <stdexcept>

#include "controller/epoch_controller.h"
#include "tests/controller/fake_cluster.h"

namespace lips {
namespace {

using ::testing::HasSubstr;
using Kind = PlanFault::Kind;

struct CheckedPolicyTest : ::testing::Test {
  CheckedPolicyTest() { state.apply(fake::job(3, true)); }

  Result<Plan> decide(const fake::ScriptedPolicy::Decide& script, bool keep_going = true) {
    const fake::ScriptedPolicy policy({}, script);
    const CheckedPolicy::OnFault keep = [&](const PlanFault& fault) { faults.push_back(fault); };
    return CheckedPolicy(policy, keep_going ? keep : CheckedPolicy::OnFault{})
        .decide({state.snapshot(), costs, 1, {}, nullptr});
  }
  static fake::ScriptedPolicy::Decide always(const Plan& plan) {
    return [plan](const PolicyInput&) { return plan; };
  }
  static Plan sound() {
    Plan plan;
    plan.assignments = {{TaskId(1), NodeId(0), {}, {}}};
    plan.account.objective = Usd(2);
    plan.account.lower_bound = Usd(1);
    return plan;
  }

  ClusterState state{fake::two_nodes()};
  CostModel costs;
  std::vector<PlanFault> faults;
};

TEST_F(CheckedPolicyTest, HandsASoundPlanOnAsItIs) {
  const Result<Plan> plan = decide(always(sound()));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->assignments, sound().assignments);
  EXPECT_EQ(plan->account.lower_bound, Usd(1));
  EXPECT_TRUE(faults.empty());
}

TEST_F(CheckedPolicyTest, HoldsBackAGangOfWhichTooFewWouldStart) {
  JobArrived gang = fake::job(3, true);
  gang.job.whole.id = WholeJobId(0);
  gang.job.whole.peers = true;
  for (const std::uint32_t least : {0u, 2u, 3u}) {
    state = ClusterState(fake::two_nodes());
    gang.job.whole.gang = least;
    state.apply(gang);
    Plan plan = sound();
    plan.assignments.push_back({TaskId(2), NodeId(1), {}, {}});
    const Result<Plan> checked = decide(always(plan));
    ASSERT_TRUE(checked);
    EXPECT_EQ(checked->assignments.size(), least == 3 ? 0u : 2u);
    EXPECT_EQ(checked->account.lower_bound.has_value(), least < 3);
    for (const Deferral& deferral : checked->deferrals) EXPECT_EQ(deferral.reason, DeferralReason::waits_for_peers);
    EXPECT_EQ(checked->deferrals.size(), least == 3 ? 2u : 0u);
  }
  EXPECT_TRUE(faults.empty());
}

TEST_F(CheckedPolicyTest, RefusesEveryKindOfFaultAndDefersEverythingInstead) {
  struct Case {
    const char* what;
    Kind kind;
    fake::ScriptedPolicy::Decide script;
    const char* why;
  };
  const auto changed = [](auto change) {
    Plan plan = sound();
    change(plan);
    return always(plan);
  };
  const std::vector<Case> cases{
      {"no plan", Kind::failed, [](const PolicyInput&) -> Result<Plan> { return fail(ErrorCode::internal, "no"); },
       "no"},
      {"it throws", Kind::failed, [](const PolicyInput&) -> Result<Plan> { throw std::length_error("too long"); },
       "too long"},
      {"a task twice", Kind::invalid, changed([](Plan& plan) { plan.assignments.push_back(plan.assignments[0]); }),
       "planned twice"},
      {"a node that is not there", Kind::invalid, changed([](Plan& plan) { plan.assignments[0].node = NodeId(9); }),
       "names a node that does not exist"},
      {"a task that is not there", Kind::invalid, changed([](Plan& plan) { plan.assignments[0].task = TaskId(9); }),
       "does not exist"},
      {"a deferral of nothing", Kind::invalid, changed([](Plan& plan) {
         plan.deferrals = {{TaskId(9), DeferralReason::no_capacity}};
       }),
       "does not exist"},
      {"the last replica", Kind::invalid, changed([](Plan& plan) {
         plan.drops = {{BlockId(0), StoreId(0)}};
       }),
       "last replica"},
      {"a move from nowhere", Kind::invalid, changed([](Plan& plan) {
         plan.moves = {{BlockId(7), StoreId(0), StoreId(1)}};
       }),
       "does not exist"},
      {"a memory of no job", Kind::invalid, changed([](Plan& plan) {
         plan.remember = {{JobId(5), {}}};
       }),
       "a memory names a job that does not exist"},
      {"a home nowhere", Kind::invalid, changed([](Plan& plan) {
         JobMemory memory;
         memory.home = ZoneId(4);
         plan.remember = {{JobId(0), memory}};
       }),
       "home"},
      {"a bound above its cost", Kind::bound_above_cost,
       changed([](Plan& plan) { plan.account.lower_bound = Usd(2.0001); }), "2.0001 USD"},
      {"no number for a bound", Kind::bound_above_cost,
       changed([](Plan& plan) { plan.account.lower_bound = Usd(std::numeric_limits<double>::quiet_NaN()); }), "nan"}};
  for (const Case& test : cases) {
    SCOPED_TRACE(test.what);
    faults.clear();
    const Result<Plan> plan = decide(test.script);
    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan->assignments.empty() && plan->moves.empty() && plan->drops.empty() && plan->remember.empty());
    EXPECT_EQ(plan->rest, DeferralReason::plan_refused);
    EXPECT_FALSE(plan->account.lower_bound);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].kind, test.kind);
    EXPECT_THAT(faults[0].why, HasSubstr(test.why));
    if (test.kind != Kind::invalid) continue;
    const Result<Plan> refused = decide(test.script, false);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr(test.why));
  }
}

TEST_F(CheckedPolicyTest, ForASimulationEveryFaultIsAnError) {
  const Result<Plan> none =
      decide([](const PolicyInput&) -> Result<Plan> { return fail(ErrorCode::gone, "no"); }, false);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::gone);
  EXPECT_FALSE(decide([](const PolicyInput&) -> Result<Plan> { throw std::bad_alloc(); }, false));
  Plan plan = sound();
  plan.account.lower_bound = Usd(3);
  const Result<Plan> above = decide(always(plan), false);
  ASSERT_FALSE(above);
  EXPECT_THAT(above.error().message, ::testing::HasSubstr("contradicts itself"));
}

TEST_F(CheckedPolicyTest, AllowsForTheRoundingOfSums) {
  Plan plan = sound();
  plan.account.lower_bound = *plan.account.objective * (1 + 1e-9);
  EXPECT_TRUE(decide(always(plan)));
  EXPECT_TRUE(faults.empty());
}

// The first two of three plans are faulty: nothing of them is bound, the controller goes on, and the third is.
TEST_F(CheckedPolicyTest, TheControllerGoesOnToTheNextPlan) {
  int asked = 0;
  const fake::ScriptedPolicy policy({Cadence::Trigger::epoch, seconds(10), seconds(0)},
                                    [&](const PolicyInput& input) -> Result<Plan> {
                                      if (++asked == 1) return fail(ErrorCode::internal, "not today");
                                      Plan plan;
                                      for (TaskId task : input.cluster.tasks.ids())
                                        if (input.cluster.tasks[task].state == TaskState::pending)
                                          plan.assignments.push_back({task, NodeId(0), {}, {}});
                                      if (asked == 2) plan.assignments.push_back(plan.assignments[0]);
                                      return plan;
                                    });
  int refused = 0;
  const CheckedPolicy checked(policy, [&](const PlanFault&) { ++refused; });
  ClusterState empty{fake::two_nodes()};
  fake::Cluster cluster;
  EpochController controller(empty, cluster, checked, costs);
  cluster.say(0, {fake::job(2)});
  std::size_t bound_before = 0;
  cluster.on_bind = [&](const PreparedBinding&) { bound_before += asked < 3; };
  cluster.say(25, {});
  ASSERT_TRUE(controller.run({}));
  EXPECT_EQ(refused, 2);
  EXPECT_EQ(bound_before, 0u);
  EXPECT_EQ(cluster.bound.size(), 2u);
}

}  // namespace
}  // namespace lips
