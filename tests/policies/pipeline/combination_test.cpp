// Every combination of modified fair's mechanisms and of pipeline's parts: valid, the same each time, and nothing
// starves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "model/task_bill.h"
#include "model/validate_plan.h"
#include "policies/registry/registry.h"
#include "tests/policies/case.h"
#include "tests/policies/closed_loop.h"
#include "tests/policies/degraded/coded_cluster.h"
#include "tests/policies/random_cluster.h"

namespace lips::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

CostModel costs() { return uniform_costs(3, UsdPerMebibyte(0.01)); }

std::unique_ptr<Policy> made(std::string_view name, const PolicySettings& settings) {
  Result<std::unique_ptr<Policy>> policy = make_policy(name, settings);
  EXPECT_TRUE(policy.has_value()) << (policy ? "" : policy.error().message);
  return policy ? std::move(*policy) : nullptr;
}

RandomShape shape_of(std::uint64_t seed) {
  RandomShape shape;
  shape.racks = seed % 2 == 0;
  shape.lost_blocks = seed % 5 == 0;
  return shape;
}

// Valid (in one wave when it promises so), deterministic, and in the end everything that can run has run.
void expect_conformance(const Policy& policy, bool single_wave, std::uint64_t seeds) {
  std::size_t assigned = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ClusterState state = random_state(seed, shape_of(seed));
    const std::vector<NodeId> reporting = all_nodes(state.snapshot());
    const CostModel prices = costs();
    const PolicyInput input{state.snapshot(), prices, seed, reporting, nullptr};
    const Result<Plan> plan = policy.decide(input), again = policy.decide(input);
    ASSERT_TRUE(plan && again);
    EXPECT_EQ(plan->assignments, again->assignments);
    EXPECT_THAT(single_wave ? validate_single_wave(state.snapshot(), *plan) : validate_plan(state.snapshot(), *plan),
                IsEmpty());
    Bill bill;
    for (const Assignment& assignment : plan->assignments)
      bill += task_bill(state.snapshot(), prices, state.snapshot().tasks[assignment.task], assignment);
    EXPECT_NEAR(plan->account.transfer.value(), bill.transfer.value(), 1e-6 * (1 + bill.transfer.value()));
    assigned += plan->assignments.size();
    ClosedLoop loop(state, policy, costs());
    loop.run(4000);
    for (TaskId task : tasks_in(state.snapshot(), TaskState::pending))
      EXPECT_FALSE(servable(state.snapshot(), task)) << "task " << task.index() << " never ran";
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(assigned, seeds) << "hardly anything was planned";
}

TEST(ModifiedFairCombinations, AllThirtyTwoConform) {
  for (unsigned bits = 0; bits < 32; ++bits) {
    SCOPED_TRACE("mechanisms " + std::to_string(bits));
    PolicySettings settings;
    ModifiedFairSettings& fair = settings.modified_fair;
    fair.small_pool = bits & 1;
    fair.demand_shares = bits & 2;
    fair.resource_order = bits & 4;
    fair.adaptive_delays = bits & 8;
    fair.moving_priority = bits & 16;
    expect_conformance(*made("modified-fair", settings), true, 10);
    if (HasFailure()) return;
  }
}

TEST(ModifiedFairCombinations, ConformInEveryReading) {
  for (unsigned bits = 0; bits < 16; ++bits) {
    SCOPED_TRACE("readings " + std::to_string(bits));
    PolicySettings settings;
    settings.modified_fair.none_to_node = bits & 1 ? NoneToNode::printed : NoneToNode::text;
    settings.modified_fair.minor_adjustment = bits & 1 ? MinorAdjustment::text : MinorAdjustment::off;
    settings.modified_fair.empty_ratio = bits & 2 ? EmptyRatio::one : EmptyRatio::zero;
    settings.modified_fair.pending_first = bits & 2 ? PendingFirst::least : PendingFirst::most;
    settings.modified_fair.share_base = bits & 4 ? ShareBase::all_slots : ShareBase::free_slots;
    settings.modified_fair.delay_sample = bits & 8 ? DelaySample::since_arrival : DelaySample::refused;
    expect_conformance(*made("modified-fair", settings), true, 6);
    if (HasFailure()) return;
  }
}

constexpr std::array every_share = {PipelineShares::none, PipelineShares::fair, PipelineShares::demand,
                                    PipelineShares::capacity};
constexpr std::array every_place = {PipelinePlaces::planned, PipelinePlaces::lsap, PipelinePlaces::nearest};
constexpr std::array every_order = {PipelineOrder::planned, PipelineOrder::arrival, PipelineOrder::fair,
                                    PipelineOrder::modified_fair, PipelineOrder::degraded_first};

template <class Visit>
void each_pipeline(PipelineAmounts amounts, Visit visit) {
  for (const PipelineShares shares : every_share)
    for (const PipelinePlaces places : every_place)
      for (const PipelineOrder order : every_order) {
        SCOPED_TRACE("shares " + std::to_string(static_cast<int>(shares)) + ", places " +
                     std::to_string(static_cast<int>(places)) + ", order " + std::to_string(static_cast<int>(order)));
        PolicySettings settings;
        settings.pipeline = {shares, amounts, places, order};
        visit(settings);
        if (::testing::Test::HasFailure()) return;
      }
}

TEST(PipelineCombinations, WithoutTheProgramConform) {
  int allowed = 0;
  each_pipeline(PipelineAmounts::all, [&](const PolicySettings& settings) {
    if (!make_policy("pipeline", settings)) return;
    ++allowed;
    expect_conformance(*made("pipeline", settings), true, 10);
  });
  EXPECT_EQ(allowed, 4 * 2 * 4);
}

TEST(PipelineCombinations, WithTheProgramConform) {
  int allowed = 0;
  each_pipeline(PipelineAmounts::lips, [&](const PolicySettings& settings) {
    if (!make_policy("pipeline", settings)) return;
    ++allowed;
    expect_conformance(*made("pipeline", settings), false, 3);
  });
  EXPECT_EQ(allowed, 4 * 2 * 5);
}

TEST(PipelineCombinations, ThatMakeNoSenseAreRefusedWithTheReason) {
  const auto refusal = [](const PipelineSettings& parts, Duration horizon = Duration(0)) {
    PolicySettings settings;
    settings.pipeline = parts;
    settings.lips.horizon = horizon;
    const Result<std::unique_ptr<Policy>> policy = make_policy("pipeline", settings);
    EXPECT_FALSE(policy.has_value());
    if (policy) return std::string();
    EXPECT_EQ(policy.error().code, ErrorCode::invalid_input);
    return policy.error().message;
  };
  using S = PipelineShares;
  using A = PipelineAmounts;
  using P = PipelinePlaces;
  using O = PipelineOrder;
  constexpr Duration hour = std::chrono::hours(1);
  EXPECT_THAT(refusal({S::none, A::all, P::planned, O::fair}), HasSubstr("places 'planned'"));
  EXPECT_THAT(refusal({S::none, A::all, P::lsap, O::planned}), HasSubstr("order 'planned'"));
  EXPECT_THAT(refusal({S::none, A::lips, P::nearest, O::planned}), HasSubstr("places 'nearest'"));
  EXPECT_THAT(refusal({S::fair, A::lips, P::planned, O::planned}, hour), HasSubstr("shortfallPrice"));
  EXPECT_THAT(refusal({S::none, A::lips, P::lsap, O::planned}, hour), HasSubstr("places 'lsap'"));
  EXPECT_THAT(refusal({S::none, A::lips, P::planned, O::fair}, hour), HasSubstr("order 'planned'"));
}

TEST(Pipeline, WithEveryPartOfLipsIsLips) {
  const auto lips = made("lips", {}), pipeline = made("pipeline", {});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const ClusterState state = random_state(seed);
    const CostModel prices = costs();
    const PolicyInput input{state.snapshot(), prices, 1, {}, nullptr};
    EXPECT_EQ(lips->decide(input)->assignments, pipeline->decide(input)->assignments);
  }
}

TEST(Pipeline, KeepsPoolsToTheirSharesOfOthers) {
  for (const PipelineAmounts amounts : {PipelineAmounts::all, PipelineAmounts::lips}) {
    SCOPED_TRACE(static_cast<int>(amounts));
    ClusterBuilder builder;
    const PoolId heavy = builder.pool(3);
    builder.node({.slots = 8, .cpu = 8});
    PolicySettings settings;
    settings.lips.plan_ahead = Duration(0);
    settings.lips.fast_path_limit = Usd(0);
    settings.pipeline = {PipelineShares::fair, amounts, PipelinePlaces::lsap, PipelineOrder::arrival};
    Case with("pipeline", builder, settings);
    with.add({.pool = PoolId(0), .maps = 20});
    with.add({.pool = heavy, .arrival = 1, .maps = 20});
    with.step();
    EXPECT_DOUBLE_EQ(with.state.snapshot().pool_cores[PoolId(0)].value(), 2);
    EXPECT_DOUBLE_EQ(with.state.snapshot().pool_cores[heavy].value(), 6);
  }
}

TEST(Pipeline, DividesByDemandAsModifiedFairDoes) {
  ClusterBuilder builder;
  const PoolId other = builder.pool();
  builder.node({.slots = 8, .cpu = 8});
  PolicySettings settings;
  settings.pipeline = {PipelineShares::demand, PipelineAmounts::all, PipelinePlaces::nearest, PipelineOrder::arrival};
  Case with("pipeline", builder, settings);
  with.add({.pool = other, .maps = 10});
  with.add({.arrival = 1, .maps = 30});
  with.step();
  EXPECT_DOUBLE_EQ(with.state.snapshot().pool_cores[other].value(), 2);
  EXPECT_DOUBLE_EQ(with.state.snapshot().pool_cores[PoolId(0)].value(), 6);
}

// Two tasks, two nodes of two slots: in order, the first task takes the only node that the second is local on, unless
// all places are chosen together.
TEST(Pipeline, ChoosesPlacesTogetherByLsap) {
  ClusterBuilder builder;
  const RackId rack = builder.rack(), far = builder.rack();
  const NodeId one = builder.node({.slots = 1, .cpu = 1, .rack = rack});
  const NodeId two = builder.node({.slots = 1, .cpu = 1, .rack = far});
  const BlockId both = builder.block({one, two}), only_one = builder.block({one});
  PolicySettings settings;
  settings.pipeline = {PipelineShares::none, PipelineAmounts::all, PipelinePlaces::lsap, PipelineOrder::arrival};
  Case with("pipeline", builder, settings);
  const JobId first = with.add({.blocks = {both}}), second = with.add({.arrival = 1, .blocks = {only_one}});
  EXPECT_THAT(with.plan().assignments,
              ::testing::UnorderedElementsAre(Runs(with.task(first, 0), two), Runs(with.task(second, 0), one)));
}

TEST(Pipeline, StartsPlannedTasksInTheOrderAskedFor) {
  ClusterBuilder builder;
  builder.node({.slots = 4, .cpu = 4});
  PolicySettings settings;
  settings.pipeline.order = PipelineOrder::modified_fair;
  Case with("pipeline", builder, settings);
  with.add({.maps = 1});
  const JobId large = with.add({.arrival = 1, .maps = 3});
  const Plan plan = with.plan();
  ASSERT_THAT(plan.assignments, SizeIs(4));
  EXPECT_EQ(with.state.snapshot().tasks[plan.assignments[0].task].job, large);
}

TEST(Pipeline, StartsDegradedTasksThatAreDueFirstAndInTheEndAll) {
  for (const PipelineAmounts amounts : {PipelineAmounts::all, PipelineAmounts::lips})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE("amounts " + std::to_string(static_cast<int>(amounts)) + ", seed " + std::to_string(seed));
      PolicySettings settings;
      settings.pipeline = {PipelineShares::none, amounts, PipelinePlaces::lsap, PipelineOrder::degraded_first};
      const auto policy = made("pipeline", settings);
      ClusterState state = coded_state({}, seed);
      lose_node(state, NodeId(0));
      const CostModel prices = uniform_costs(state.snapshot().zones.size(), UsdPerMebibyte(0.01));
      const Result<Plan> plan = policy->decide({state.snapshot(), prices, 1, {}, nullptr});
      ASSERT_TRUE(plan.has_value());
      EXPECT_THAT(validate_plan(state.snapshot(), *plan), IsEmpty());
      ASSERT_FALSE(plan->assignments.empty());
      EXPECT_FALSE(plan->assignments.front().sources.empty())
          << "0 of M is as much as 0 of Md: the first is due at once";
      std::size_t degraded = 0;
      for (const Assignment& assignment : plan->assignments) degraded += !assignment.sources.empty();
      EXPECT_LT(degraded, plan->assignments.size());
      ClosedLoop loop(state, *policy, prices);
      loop.run(4000);
      EXPECT_EQ(state.snapshot().pending_tasks, 0u);
    }
}

}  // namespace
}  // namespace lips::testing
