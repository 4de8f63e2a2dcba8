// Places, fast path, homes and the account of the default planner, and what its settings do.
#include <set>

#include "base/random.h"
#include "model/launch_room.h"
#include "model/task_bill.h"
#include "model/validate_plan.h"
#include "policies/lips/demand/homes.h"
#include "policies/lips/placing/fast_path.h"
#include "tests/policies/lips/lips_case.h"
#include "tests/policies/lips/prices.h"
#include "tests/policies/random_world.h"

namespace lips {
namespace {

using testing::Case;
using testing::ClusterBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Model;
using testing::one_time_slot;
using testing::Runs;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

PolicySettings whole(double span = 600) {
  PolicySettings settings;
  settings.lips.horizon = seconds(span);
  return settings;
}

// No node that is there takes it, empty, and none that could be launched.
bool takes_nowhere(const ClusterSnapshot& cluster, const Job& job) {
  for (const NodeId id : cluster.nodes.ids()) {
    const Node& node = cluster.nodes[id];
    if (node.schedulable && cluster.eligible(job.constraint, id) && fits(job.request, node.capacity)) return false;
  }
  for (const Offer& offer : cluster.offers)
    if (nodes_left(cluster, offer) > 0 && cluster.eligible(job.constraint, offer.like) &&
        fits(job.request, cluster.nodes[offer.like].capacity))
      return false;
  return true;
}

TEST(Ineligible, AreTheTasksThatNoNodeTakesAndNoOthers) {
  std::size_t named = 0, others = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::RandomWorld world(seed);
    Random random(seed);
    std::set<JobId> running;
    for (const RunningTask& run : world.cluster.running) running.insert(run.job);
    for (const JobId id : world.cluster.pending)
      if (random.below(8) == 0 && !running.contains(id)) world.cluster.jobs[id].request.cpu = Cores(1000);
    PolicySettings settings;
    settings.lips.fast_path_limit = Usd(random.below(2) == 0 ? 0 : 1);
    settings.lips.billing = random.below(2) == 0 ? Billing::use : Billing::invoice;
    const Result<Plan> plan = world.decide("lips", settings);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_THAT(validate_plan(world.cluster, *plan), IsEmpty());
    std::set<TaskId> said;
    for (const Deferral& deferral : plan->deferrals)
      if (deferral.reason == DeferralReason::not_eligible) said.insert(deferral.task);
    for (const JobId id : world.cluster.pending) {
      if (world.cluster.jobs[id].whole.peers) continue;  // they wait together
      const bool nowhere = takes_nowhere(world.cluster, world.cluster.jobs[id]);
      for (const TaskGroup& group : world.cluster.groups[id])
        for (const TaskId task : world.cluster.tasks_of(group)) {
          EXPECT_EQ(said.contains(task), nowhere) << "job " << id.index();
          ++(nowhere ? named : others);
        }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(named, 300u);
  EXPECT_GT(others, 3000u);
}

TEST(TaskSelection, ChooseDistinctTasksAndTheLocalOnesFirst) {
  ClusterBuilder builder;
  const NodeId a = builder.node({.slots = 1, .cpu = 1}), b = builder.node({.slots = 1, .cpu = 1});
  const BlockId on_b = builder.block({b}), on_a = builder.block({a});
  Case test("lips", builder, whole(15));
  const JobId job = test.add({.blocks = {on_b, on_a}, .cpu = 10});
  const Plan plan = test.plan();
  EXPECT_THAT(plan.assignments, UnorderedElementsAre(Runs(test.task(job, 0), b), Runs(test.task(job, 1), a)));
  EXPECT_EQ(plan.account.node_local_share, 1);
  EXPECT_EQ(plan.account.node_local_bound, 1);
}

TEST(TaskSelection, FindTheMostLocalTasksByFlowWhereNodeByNodeMissesOne) {
  ClusterBuilder builder;
  const NodeId a = builder.node({.slots = 1, .cpu = 1}), b = builder.node({.slots = 1, .cpu = 1});
  const BlockId both = builder.block({a, b}), only_a = builder.block({a});
  Case test("lips", builder);
  const JobId job = test.add({.blocks = {both, only_a}, .cpu = 10});
  const Model model(test.state.snapshot(), test.costs);
  const std::vector<Placement> placements{{PortionId(0), 1, a, 0, {}}, {PortionId(0), 1, b, 0, {}}};
  const PolicyInput input{model.cluster, model.costs, 1, {}, nullptr};
  Plan greedy, flow;
  EXPECT_EQ(choose_tasks(input, model.workload, placements, {}, greedy).local, 1u);
  TaskSelectionSettings settings;
  settings.by_flow = true;
  const LocalityReached reached = choose_tasks(input, model.workload, placements, settings, flow);
  EXPECT_EQ(reached.local, 2u);
  EXPECT_EQ(reached.bound, 2u);
  EXPECT_THAT(flow.assignments, ElementsAre(Runs(test.task(job, 1), a), Runs(test.task(job, 0), b)));
}

TEST(TaskSelection, ShareOneMoveOfABlockThatSeveralRead) {
  ClusterBuilder builder(2);
  const NodeId far = builder.node({.slots = 4, .cpu = 4});
  const NodeId holder = builder.node({.zone = ZoneId(1), .price = 100});
  const BlockId block = builder.block({holder});
  PolicySettings settings = whole();
  settings.lips.copy_columns = true;
  Case test("lips", builder, settings, across);
  for (int i = 0; i < 3; ++i) test.add({.blocks = {block}});
  const Plan plan = test.plan();
  ASSERT_THAT(plan.moves, SizeIs(1));
  EXPECT_EQ(plan.moves[0].to, builder.own_store[far]);
  ASSERT_THAT(plan.assignments, SizeIs(3));
  for (const Assignment& assignment : plan.assignments) EXPECT_EQ(assignment.read_from, plan.moves[0].to);
  EXPECT_NEAR(plan.account.copies.value(), 0.64, 1e-9);
  EXPECT_EQ(plan.account.transfer.value(), 0);
  EXPECT_NEAR(plan.account.gap, 0, 1e-6);
}

TEST(TaskSelection, KeepNoMoreInAStoreThanItHolds) {
  ClusterBuilder builder(2);
  const NodeId far = builder.node({.slots = 4, .cpu = 4});
  const NodeId holder = builder.node({.zone = ZoneId(1), .price = 100});
  const BlockId one = builder.block({holder}), two = builder.block({holder});
  builder.start.stores[builder.own_store[far]].capacity = Mebibytes(100);
  PolicySettings settings = whole();
  settings.lips.billing = Billing::use;
  Case test("lips", builder, settings, across);
  test.add({.blocks = {one, two}});
  int kept = 0;
  for (const Assignment& assignment : test.plan().assignments) kept += assignment.keep_in.valid();
  EXPECT_EQ(kept, 1);
}

struct Lane {
  explicit Lane(Case& test, double limit)
      : classes(make_classes(test.state.snapshot(), one_time_slot())), free(test.state.snapshot().free) {
    const ClusterSnapshot& cluster = test.state.snapshot();
    fast_path = serve_small_jobs({cluster, test.costs, 1, {}, nullptr},
                                 {Usd(limit), {}, PoolRoom(cluster, cluster.pool_cores)}, classes, free);
  }
  NodeClasses classes;
  IdVector<NodeId, Resources> free;
  FastPath fast_path;
};

TEST(FastPath, ServesJobsUpToTheLimitAtTheCheapestSlot) {
  ClusterBuilder builder;
  builder.node({.price = 2});
  const NodeId cheap = builder.node({.price = 1});
  Case test("lips", builder);
  const JobId small = test.add({.maps = 1, .cpu = 50}), large = test.add({.maps = 1, .cpu = 51});
  const Lane lane(test, 100);
  EXPECT_TRUE(lane.fast_path.served[small.index()]);
  EXPECT_FALSE(lane.fast_path.served[large.index()]);
  ASSERT_THAT(lane.fast_path.placements, SizeIs(1));
  EXPECT_EQ(lane.fast_path.placements[0].node, cheap);
  EXPECT_EQ(lane.free[cheap].slots, 1);
}

TEST(FastPath, CountsTransferAgainstCpu) {
  ClusterBuilder builder(2);
  builder.node({.price = 1});
  const NodeId near = builder.node({.zone = ZoneId(1), .price = 1.05});
  const BlockId block = builder.block({near});
  Case test("lips", builder, {}, across);
  test.add({.blocks = {block}, .cpu = 10});
  EXPECT_EQ(Lane(test, 100).fast_path.placements.at(0).node, near);
}

// A node beside the data is free soon, and one in another zone now. To start at once is worth no more than the limit
// beyond the wait, whatever a job reads.
TEST(FastPath, PaysForAReadFromAfarNoMoreThanItsLimitAndTheWait) {
  int crosses = 0, waits = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    ClusterBuilder builder(2);
    const NodeId near = builder.node({.zone = ZoneId(0), .price = 1e-5, .slots = 1, .cpu = 1});
    builder.node({.zone = ZoneId(1), .price = 1e-5, .slots = 1, .cpu = 1});
    const BlockId block = builder.block({near}, std::exp(random.uniform(std::log(1), std::log(1e5))));
    const double busy = random.uniform(1, 600);
    const auto transfer = [&](double limit) {
      PolicySettings settings;
      settings.lips.fast_path_limit = Usd(limit);
      settings.lips.billing = seed % 2 == 0 ? Billing::use : Billing::invoice;
      Case test("lips", builder, settings, UsdPerMebibyte(2e-5));
      EXPECT_TRUE(test.state.assume({test.task(test.add({.maps = 1, .cpu = busy}), 0), near, {}, {}}));
      test.add({.blocks = {block}, .cpu = 60});
      return test.plan().account.transfer;
    };
    const double limit = 0.01, wait = 1.1 * 8 * 60 * 1e-5 * busy / 3600, paid = transfer(limit).value();
    EXPECT_LE(paid, limit + wait);
    EXPECT_LE(transfer(0).value(), wait);
    ++(paid > 0 ? crosses : waits);
  }
  EXPECT_GT(crosses, 30);
  EXPECT_GT(waits, 30);
}

TEST(FastPath, LosesNothingWhenNoSlotIsFree) {
  ClusterBuilder builder;
  builder.node({.slots = 1, .cpu = 1});
  PolicySettings settings;
  settings.lips.fast_path_limit = Usd(100);
  Case test("lips", builder, settings);
  const JobId job = test.add({.maps = 2});
  EXPECT_THAT(test.step(), SizeIs(1));
  EXPECT_THAT(test.step(), IsEmpty());
  test.finish(test.task(job, 0));
  EXPECT_THAT(test.step(), SizeIs(1));
}

TEST(FastPath, RespectsAPoolsMaximumTogetherWithTheRest) {
  ClusterBuilder builder;
  const PoolId pool = builder.pool(1, 0, 3);
  builder.node({.slots = 8, .cpu = 8});
  PolicySettings settings;
  settings.lips.fast_path_limit = Usd(25);
  Case test("lips", builder, settings);
  test.add({.pool = pool, .maps = 2, .cpu = 10});
  test.add({.pool = pool, .maps = 5, .cpu = 100});
  EXPECT_THAT(test.plan().assignments, SizeIs(3));
}

TEST(Homes, AreTheZoneThatSavesShuffleAndAreAskedOnce) {
  ClusterBuilder builder(2);
  builder.node({.slots = 4, .cpu = 4});
  const NodeId second = builder.node({.zone = ZoneId(1), .slots = 4, .cpu = 4});
  const BlockId block = builder.block({second});
  PolicySettings settings;
  settings.lips.fast_path_limit = Usd(0);
  Case test("lips", builder, settings, across);
  const JobId job = test.add({.blocks = {block}, .maps = 1, .reduces = 1, .shuffle = 100});
  const Plan plan = test.plan();
  ASSERT_THAT(plan.remember, SizeIs(1));
  EXPECT_EQ(plan.remember[0].job, job);
  EXPECT_EQ(plan.remember[0].memory.home, ZoneId(1));
  EXPECT_TRUE(plan.remember[0].memory.home_decided);
  ASSERT_TRUE(plan.account.home_gap.has_value());
  EXPECT_NEAR(*plan.account.home_gap, 0, 1e-6);
  test.state.remember(plan.remember[0]);
  EXPECT_THAT(test.plan().remember, IsEmpty());
}

TEST(Homes, AreNeverAZoneWithoutNodes) {
  ClusterBuilder builder(2);
  const NodeId node = builder.node();
  const StoreId elsewhere = builder.volume(ZoneId(1));
  const BlockId block = builder.block_in({elsewhere});
  static_cast<void>(node);
  Case test("lips", builder, {}, across);
  const JobId job = test.add({.blocks = {block}, .reduces = 1, .shuffle = 1});
  const NodeClasses classes = make_classes(test.state.snapshot(), one_time_slot());
  const Homes homes = choose_homes({test.state.snapshot(), test.costs, 1, {}, nullptr}, classes, {});
  EXPECT_NE(homes.zone[job.index()], ZoneId(1));
}

TEST(LipsAccount, IsTheBillOfTheTasksAndHasABoundBelowTheObjective) {
  ClusterBuilder builder(2);
  const NodeId node = builder.node({.price = 3});
  builder.node({.zone = ZoneId(1), .price = 1});
  const BlockId block = builder.block({node});
  Case test("lips", builder, whole(), across);
  test.add({.blocks = {block, block, block}, .cpu = 7});
  const Plan plan = test.plan();
  Usd bill;
  for (const Assignment& assignment : plan.assignments)
    bill +=
        task_bill(test.state.snapshot(), test.costs, test.state.snapshot().tasks[assignment.task], assignment).total();
  EXPECT_THAT(plan.assignments, SizeIs(3));
  EXPECT_NEAR(plan.account.dollars().value(), bill.value(), 1e-9);
  EXPECT_NEAR(plan.account.objective->value(), bill.value(), 1e-9);
  EXPECT_LE(*plan.account.lower_bound, *plan.account.objective);
}

TEST(LipsPolicy, AssignsAllThatFitsIntoTheHorizon) {
  ClusterBuilder builder;
  builder.node({.slots = 2, .cpu = 2});
  Case test("lips", builder, whole(100));
  test.add({.maps = 20, .cpu = 10});
  EXPECT_THAT(test.plan().assignments, SizeIs(20));
  test.add({.maps = 4, .cpu = 10});
  EXPECT_THAT(test.plan().assignments, SizeIs(20));
}

TEST(LipsPolicy, SpendsUpToTheToleranceForAShorterMakespan) {
  const auto busiest = [](double tolerance, double& dollars) {
    ClusterBuilder builder;
    builder.node({.price = 1, .slots = 1, .cpu = 1});
    builder.node({.price = 1.1, .slots = 1, .cpu = 1});
    PolicySettings settings = whole(1000);
    settings.lips.makespan_tolerance = tolerance;
    Case test("lips", builder, settings);
    test.add({.maps = 40, .cpu = 10});
    const Plan plan = test.plan();
    EXPECT_THAT(plan.assignments, SizeIs(40));
    dollars = plan.account.dollars().value();
    std::map<NodeId, int> tasks;
    for (const Assignment& assignment : plan.assignments) ++tasks[assignment.node];
    int most = 0;
    for (const auto& [node, count] : tasks) most = std::max(most, count);
    return most;
  };
  double least = 0, with_tolerance = 0;
  EXPECT_EQ(busiest(0, least), 40);
  EXPECT_NEAR(least, 400, 1e-9);
  const int most = busiest(0.02, with_tolerance);
  EXPECT_LE(most, 33);
  EXPECT_LE(with_tolerance, least * 1.02 + 1e-9);
}

// One node that costs less and one that costs more, with work for many rounds: how many tasks start now on the second.
std::int64_t started_on_the_dear(FleetKind fleet, const PolicySettings& settings) {
  ClusterBuilder builder;
  const NodeId cheap = builder.node({.price = 1, .slots = 1, .cpu = 1});
  const NodeId dear = builder.node({.price = 1.5, .slots = 1, .cpu = 1});
  for (const NodeId node : {cheap, dear}) builder.start.nodes[node].fleet = fleet;
  Case test("lips", builder, settings);
  test.add({.maps = 30, .cpu = 60});
  const std::vector<Assignment> now = test.plan().assignments;
  return std::count_if(now.begin(), now.end(), [&](const Assignment& assignment) { return assignment.node == dear; });
}

TEST(LipsPolicy, PaysMoreToWaitLessWhereWaitingIsDear) {
  const auto dear_tasks = [](double waiting_price) {
    PolicySettings settings;
    settings.lips.fast_path_limit = Usd(0);
    settings.lips.waiting_price = waiting_price;
    return started_on_the_dear(FleetKind::elastic, settings);
  };
  EXPECT_EQ(dear_tasks(0.1), 0);
  EXPECT_EQ(dear_tasks(100), 1);
}

// Its hours are paid anyway.
TEST(LipsPolicy, DoesNotWaitForACheaperNodeOfAFixedFleetUnlessBilledByUse) {
  PolicySettings settings;
  settings.lips.fast_path_limit = Usd(0);
  settings.lips.waiting_price = 1;
  settings.lips.waiting_per_job = 0;
  EXPECT_EQ(started_on_the_dear(FleetKind::elastic, settings), 0);
  EXPECT_EQ(started_on_the_dear(FleetKind::fixed, settings), 1);
  settings.lips.billing = Billing::use;
  EXPECT_EQ(started_on_the_dear(FleetKind::fixed, settings), 0);
}

TEST(LipsPolicy, RunsHigherPriorityFirst) {
  ClusterBuilder builder;
  builder.node({.slots = 1, .cpu = 1});
  for (const double horizon : {0.0, 15.0}) {
    PolicySettings settings = whole(horizon);
    settings.lips.fast_path_limit = Usd(0);
    Case test("lips", builder, settings);
    test.add({.maps = 3});
    const JobId high = test.add({.priority = 5, .maps = 1});
    const Plan plan = test.plan();
    ASSERT_THAT(plan.assignments, SizeIs(1));
    EXPECT_EQ(plan.assignments[0].task, test.task(high, 0));
  }
}

TEST(LipsPolicy, PaysForAPoolsShareUpToItsPrice) {
  for (const double price : {0.1, 1000.0}) {
    ClusterBuilder builder(2);
    const PoolId poor = builder.pool(1, 1, 0);
    builder.start.pools[poor].shortfall_price = UsdPerCpuSecond(price);
    const NodeId node = builder.node({.slots = 1, .cpu = 1});
    builder.node({.zone = ZoneId(1), .price = 500, .slots = 1, .cpu = 1});
    const BlockId block = builder.block({node});
    static_cast<void>(block);
    Case test("lips", builder, whole(100), across);
    test.add({.maps = 20, .cpu = 10});
    test.add({.pool = poor, .arrival = 1, .maps = 20, .cpu = 10});
    const Plan plan = test.plan();
    int own = 0;
    for (const Assignment& assignment : plan.assignments)
      own += test.state.snapshot().jobs[test.state.snapshot().tasks[assignment.task].job].pool == poor;
    EXPECT_THAT(plan.assignments, SizeIs(20));
    if (price > 1) {
      EXPECT_GE(own, 10);
    }
  }
}

TEST(LipsPolicy, HoldsAPoolToItsMaximumEvenBelowItsShare) {
  ClusterBuilder builder;
  const PoolId capped = builder.pool(100, 0, 1);
  builder.start.pools[capped].shortfall_price = UsdPerCpuSecond(1000);
  builder.node({.slots = 4, .cpu = 4});
  Case test("lips", builder, whole(100));
  test.add({.pool = capped, .maps = 40, .cpu = 10});
  test.add({.maps = 20, .cpu = 10});
  const Plan plan = test.plan();
  EXPECT_FALSE(plan.account.fell_back);
  int own = 0;
  for (const Assignment& assignment : plan.assignments)
    own += test.state.snapshot().jobs[test.state.snapshot().tasks[assignment.task].job].pool == capped;
  EXPECT_EQ(own, 10);
  EXPECT_THAT(plan.assignments, SizeIs(30));
}

}  // namespace
}  // namespace lips
