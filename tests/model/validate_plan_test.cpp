#include "model/validate_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/policies/snapshot_builder.h"

namespace lips::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A job with one map that reads a block of the first node, one map without input, and one blocked reduce.
struct ValidatePlan : ::testing::Test {
  ClusterBuilder builder{2};
  NodeId first = builder.node(), second = builder.node({.zone = ZoneId(1)}), cordoned = builder.node(),
         tainted = builder.node();
  NodeId tiny = builder.node({.cpu = 0.5});
  BlockId block = builder.block({first}, 64);
  StoreId limited = builder.volume(ZoneId(1));
  TaskId reading{0}, plain{1}, blocked{2};
  Plan plan;

  ClusterSnapshot cluster() {
    builder.start.nodes[cordoned].schedulable = false;
    builder.start.profiles.push_back({{}, {{"dedicated", "web", "NoSchedule"}}});
    builder.start.nodes[tainted].profile = ProfileId(1);
    builder.start.stores[limited].capacity = Mebibytes(100);
    ClusterState state(builder.start);
    state.apply(job(state.snapshot(), {.blocks = {block}, .maps = 1, .reduces = 1}));
    return state.snapshot();
  }
  StoreId of(NodeId node) const { return builder.own_store[node]; }
  std::vector<std::string> problems() { return validate_plan(cluster(), plan); }
};

TEST_F(ValidatePlan, AcceptsAGoodPlan) {
  plan.assignments = {{reading, second, of(first), limited}, {plain, first, {}, {}}};
  plan.moves = {{block, of(first), limited}};
  EXPECT_THAT(problems(), IsEmpty());
  EXPECT_THAT(validate_single_wave(cluster(), plan), IsEmpty());
}

TEST_F(ValidatePlan, AcceptsDeferralsAndAnEmptyPlan) {
  EXPECT_THAT(problems(), IsEmpty());
  plan.deferrals = {{reading, DeferralReason::no_capacity}};
  EXPECT_THAT(problems(), IsEmpty());
}

// The cordoned node stands for nodes that could be launched.
TEST_F(ValidatePlan, AcceptsRequestsForNodesThatAreOffered) {
  builder.start.offers.push_back({cordoned, 3, {}, {}, 0});
  plan.node_requests = {{plain, OfferId(0)}};
  plan.deferrals = {{plain, DeferralReason::waits_for_node}};
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(ValidatePlan, FindsEveryKindOfWrongRequestForANode) {
  builder.start.offers.push_back({cordoned, 3, {}, {}, 0});
  builder.start.offers.push_back({cordoned, 0, {}, {}, 0});
  builder.start.offers.push_back({tiny, 3, {}, {}, 0});
  builder.start.offers.push_back({tainted, 3, {}, {}, 0});
  plan.assignments = {{reading, second, of(first), {}}};
  const auto problem_of = [&](TaskId task, std::uint32_t offer) {
    plan.node_requests = {{task, OfferId(offer)}};
    return problems();
  };
  EXPECT_THAT(problem_of(reading, 0), ElementsAre(HasSubstr("has a node and requests another")));
  EXPECT_THAT(problem_of(blocked, 0), ElementsAre(HasSubstr("is not pending")));
  EXPECT_THAT(problem_of(TaskId(99), 0), ElementsAre(HasSubstr("is not pending")));
  EXPECT_THAT(problem_of(plain, 9), ElementsAre(HasSubstr("of an offer that does not exist")));
  EXPECT_THAT(problem_of(plain, 1), ElementsAre(HasSubstr("sold out")));
  EXPECT_THAT(problem_of(plain, 2), ElementsAre(HasSubstr("may not run there")));
  EXPECT_THAT(problem_of(plain, 3), ElementsAre(HasSubstr("may not run there")));
  plan.node_requests = {{plain, OfferId(0)}, {plain, OfferId(0)}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("requests two nodes")));
}

// Requests of all offers within a limit count together, against what it leaves and what is free in their places.
TEST_F(ValidatePlan, FindsRequestsBeyondALimitThatOffersShare) {
  builder.start.launch_limits.push_back({});
  for (int i = 0; i < 2; ++i) builder.start.offers.push_back({cordoned, 3, {}, {}, 0, LimitId(0)});
  plan.node_requests = {{plain, OfferId(0)}, {plain, OfferId(1), 3}};
  ClusterSnapshot with = cluster();
  Job& job = with.jobs[with.tasks[plain].job];
  job.whole.expected = 3;
  job.whole.each = {Cores(1), Mebibytes(1), 1};
  const Resources node = with.nodes[cordoned].capacity;
  EXPECT_THAT(validate_plan(with, plan), IsEmpty()) << "it limits nothing";
  // Nothing is free beside the nodes to be launched.
  for (Resources& free : with.free) free.cpu = Cores(0), free.memory = Mebibytes(0);
  const double needs = job.request.cpu.value() + 3;
  LaunchLimit& limit = with.launch_limits[LimitId(0)];
  limit.cores = Cores(needs);
  ASSERT_LE(node.cpu, limit.cores);
  EXPECT_THAT(validate_plan(with, plan), IsEmpty());
  limit.cores = Cores(needs - 0.5);
  EXPECT_THAT(validate_plan(with, plan), ElementsAre(HasSubstr("are requested of offers that have")));
  limit = {.nodes = static_cast<std::uint32_t>(std::ceil(needs / node.cpu.value()))};
  EXPECT_THAT(validate_plan(with, plan), IsEmpty());
  if (limit.nodes > 1) {
    --limit.nodes;
    EXPECT_THAT(validate_plan(with, plan), ElementsAre(HasSubstr("are requested of offers that have")));
  }
  limit = {.memory = Mebibytes(0.5)};
  EXPECT_THAT(validate_plan(with, plan), Contains(HasSubstr("sold out")));
  limit = {};
  limit.cores = Cores(needs - 0.5);
  for (const NodeId id : with.nodes.ids())
    if (with.nodes[id].schedulable && with.nodes[id].zone == with.nodes[cordoned].zone) with.free[id] = node;
  EXPECT_THAT(validate_plan(with, plan), IsEmpty()) << "a request keeps room that is there, too";
}

TEST_F(ValidatePlan, AcceptsRequestsForNodesOfAsManyPeersAsAreExpected) {
  builder.start.offers.push_back({cordoned, 3, {}, {}, 0});
  plan.deferrals = {{plain, DeferralReason::waits_for_node}};
  plan.node_requests = {{plain, OfferId(0)}, {plain, OfferId(0), 2}, {plain, OfferId(0), 1}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("for more peers than the 0 that are expected"),
                                      HasSubstr("for more peers than the 0 that are expected")));
  ClusterSnapshot expecting = cluster();
  WholeJob& whole = expecting.jobs[expecting.tasks[plain].job].whole;
  whole.expected = 3;
  whole.each = {Cores(1), Mebibytes(1), 1};
  EXPECT_THAT(validate_plan(expecting, plan), IsEmpty());
  whole.each.cpu = Cores(100);
  EXPECT_THAT(validate_plan(expecting, plan),
              ElementsAre(HasSubstr("may not run there"), HasSubstr("may not run there")));
}

// Two tasks of one pool hold a node of two cores, and a task of another pool waits.
struct ValidateReclaims : ::testing::Test {
  ClusterBuilder builder{1};
  PoolId owner{0}, other = builder.pool();
  NodeId node = builder.node();
  std::uint32_t gang = 0;
  Plan plan;

  ClusterState state() {
    builder.start.pools[owner].reclaim = ReclaimRule::from_borrowers;
    ClusterState made(builder.start);
    JobArrived lent = job(made.snapshot(), {.pool = other, .maps = 2});
    if (gang > 0) {
      lent.job.whole.id = WholeJobId(0), lent.job.whole.peers = true, lent.job.whole.maps = 2;
      lent.job.whole.gang = gang;
    }
    made.apply(lent);
    made.apply(job(made.snapshot(), {.pool = owner, .maps = 2}));
    for (const std::uint32_t task : {0, 1}) made.apply(TaskFound{TaskId(task), node, {}});
    return made;
  }
  std::vector<std::string> problems() { return validate_plan(state().snapshot(), plan); }
};

TEST_F(ValidateReclaims, AcceptsOneThatLeavesItsPoolItsShare) {
  plan.reclaims = {{TaskId(0), owner, Usd(0)}};
  plan.assignments = {{TaskId(2), node, {}, {}}};
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(ValidateReclaims, FindsEveryKindThatMayNotBe) {
  plan.reclaims = {{TaskId(0), owner, Usd(0)}, {TaskId(1), owner, Usd(0)}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("left below its share")));
  plan.reclaims = {{TaskId(0), owner, Usd(0)}, {TaskId(0), owner, Usd(0)}};
  EXPECT_THAT(problems(), Contains(HasSubstr("taken back twice")));
  plan.reclaims = {{TaskId(2), owner, Usd(0)}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("does not run")));
  plan.reclaims = {{TaskId(0), other, Usd(0)}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("for no task of its pool")));
  plan.reclaims = {{TaskId(0), PoolId(2), Usd(0)}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("takes nothing back")));
  gang = 2;
  plan.reclaims = {{TaskId(0), owner, Usd(0)}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("others of its gang")));
}

TEST_F(ValidateReclaims, LetsATaskOfItsPoolTakeTheRoomOnlyWithAHigherPriority) {
  const auto problems_with = [&](std::int32_t priority, bool preempts) {
    ClusterState made = state();
    JobArrived urgent = job(made.snapshot(), {.pool = other, .maps = 1});
    urgent.job.priority = priority, urgent.job.preempts = preempts;
    made.apply(urgent);
    plan.reclaims = {{TaskId(0), other, Usd(0)}};
    plan.assignments = {{TaskId(4), node, {}, {}}};
    return validate_plan(made.snapshot(), plan);
  };
  EXPECT_THAT(problems_with(1, true), IsEmpty());
  EXPECT_THAT(problems_with(1, false), ElementsAre(HasSubstr("for no task of its pool")));
  EXPECT_THAT(problems_with(0, true), ElementsAre(HasSubstr("for no task of its pool")));
  gang = 2;
  EXPECT_THAT(problems_with(1, true), ElementsAre(HasSubstr("others of its gang")));
}

TEST_F(ValidateReclaims, FindsATaskThatLeavesAlready) {
  ClusterState made = state();
  plan.reclaims = {{TaskId(0), owner, Usd(0)}};
  ASSERT_TRUE(made.begin_reclaim(plan.reclaims[0]));
  EXPECT_THAT(validate_plan(made.snapshot(), plan), ElementsAre(HasSubstr("leaves already")));
}

TEST_F(ValidatePlan, FindsATaskPlannedTwice) {
  plan.assignments = {{plain, first, {}, {}}};
  plan.deferrals = {{plain, DeferralReason::no_capacity}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("planned twice")));
}

TEST_F(ValidatePlan, FindsATaskPlannedTwiceThoughNoJobOfItsWaits) {
  ClusterSnapshot ended = cluster();
  ended.pending.clear();
  plan.deferrals = {{plain, DeferralReason::no_capacity}, {plain, DeferralReason::no_capacity}};
  EXPECT_THAT(validate_plan(ended, plan), Contains(HasSubstr("planned twice")));
}

TEST_F(ValidatePlan, FindsATaskThatIsNotPending) {
  plan.assignments = {{blocked, first, {}, {}}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("not pending")));
}

TEST_F(ValidatePlan, FindsATaskThatDoesNotExist) {
  plan.assignments = {{TaskId(99), first, {}, {}}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("does not exist")));
}

TEST_F(ValidatePlan, FindsANodeThatDoesNotExist) {
  plan.assignments = {{plain, NodeId::none(), {}, {}}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("names a node that does not exist")));
}

TEST_F(ValidatePlan, FindsACordonedNode) {
  plan.assignments = {{plain, cordoned, {}, {}}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("takes no tasks")));
}

TEST_F(ValidatePlan, FindsANodeThatIsNotEligible) {
  plan.assignments = {{plain, tainted, {}, {}}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("may not run")));
}

TEST_F(ValidatePlan, FindsATaskLargerThanItsNode) {
  plan.assignments = {{plain, tiny, {}, {}}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("larger than node")));
}

TEST_F(ValidatePlan, FindsAReplicaThatIsMissingOrNotNeeded) {
  plan.assignments = {{reading, first, {}, {}}, {plain, first, of(first), {}}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("does not need, or none"), HasSubstr("does not need, or none")));
}

TEST_F(ValidatePlan, FindsAReadFromAStoreWithoutTheBlock) {
  plan.assignments = {{reading, second, of(second), {}}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("from a store that does not hold it")));
}

TEST_F(ValidatePlan, AcceptsAReadOfAReplicaThatIsOnItsWay) {
  plan.assignments = {{reading, second, of(second), {}}};
  ClusterSnapshot moving = cluster();
  moving.moves.push_back({MoveId(0), block, of(first), of(second)});
  EXPECT_THAT(validate_plan(moving, plan), IsEmpty());
  plan.moves = {{block, of(first), of(second)}};
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(ValidatePlan, FindsAReadOfAReplicaThatThePlanDrops) {
  builder.start.blocks[block].replicas.push_back({of(second), true, {}});
  plan.drops = {{block, of(second)}};
  plan.assignments = {{reading, second, of(second), {}}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("from a store that does not hold it")));
}

TEST_F(ValidatePlan, FindsACopyKeptInAnotherZone) {
  plan.assignments = {{reading, first, of(first), limited}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("another zone")));
}

TEST_F(ValidatePlan, FindsMovesFromWhereNothingIsAndToWhereItIs) {
  plan.moves = {{block, of(second), of(first)}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("moved from a store that does not hold it"),
                                      HasSubstr("moved to a store that already holds it")));
}

TEST_F(ValidatePlan, FindsAStoreThatWouldOverflow) {
  const BlockId other = builder.block({first}, 64);
  plan.moves = {{block, of(first), limited}, {other, of(first), limited}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("overflow"))) << "each fits, both do not";
}

TEST_F(ValidatePlan, FindsTheDropOfTheLastReplica) {
  plan.drops = {{block, of(first)}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("last replica")));
}

TEST_F(ValidatePlan, FindsTheDropOfAllReplicas) {
  builder.start.blocks[block].replicas.push_back({of(second), true, {}});
  plan.drops = {{block, of(first)}};
  EXPECT_THAT(problems(), IsEmpty());
  plan.drops.push_back({block, of(second)});
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("last replica")));
}

TEST_F(ValidatePlan, FindsADropOfWhatIsNotThere) {
  builder.start.blocks[block].replicas.push_back({of(second), true, {}});
  plan.drops = {{block, limited}};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("dropped from a store that does not hold it")));
}

TEST_F(ValidatePlan, FindsBlocksAndStoresThatDoNotExist) {
  plan.moves = {{BlockId(77), of(first), limited}, {block, of(first), StoreId(77)}};
  plan.drops = {{BlockId(77), of(first)}};
  plan.assignments = {{reading, first, of(first), StoreId(77)}};
  EXPECT_THAT(problems(), ::testing::SizeIs(4));
  EXPECT_THAT(problems(), ::testing::Each(HasSubstr("does not exist")));
}

TEST_F(ValidatePlan, FindsOvercommitmentOnlyInASingleWave) {
  ClusterState state(builder.start);
  state.apply(job(state.snapshot(), {.maps = 3}));
  plan.assignments = {{TaskId(0), first, {}, {}}, {TaskId(1), first, {}, {}}, {TaskId(2), first, {}, {}}};
  EXPECT_THAT(validate_plan(state.snapshot(), plan), IsEmpty());
  EXPECT_THAT(validate_single_wave(state.snapshot(), plan), ElementsAre(HasSubstr("overcommitted")));
}

}  // namespace
}  // namespace lips::testing
