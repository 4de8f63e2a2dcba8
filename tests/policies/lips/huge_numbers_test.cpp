// Numbers that no program can reckon with end in an error or a fallback, never the process; tiny ones in a bound that
// holds.
#include "tests/policies/case.h"

namespace lips {
namespace {

using testing::Case;
using testing::ClusterBuilder;

// A block of 1e300 MiB in the first of two zones, and a job that may run on the nodes with a label only: the class
// form.
struct HugeBlock {
  HugeBlock() {
    builder.start.profiles.push_back({{{"disk", "ssd"}}, {}});
    builder.start.constraints.push_back({{{"disk", LabelRequirement::Operator::in, {"ssd"}}}, {}, {}});
    const NodeId near = builder.node(), far = builder.node({.zone = ZoneId(1)});
    for (const NodeId node : {near, far}) builder.start.nodes[node].profile = ProfileId(1);
    builder.node();
    block = builder.block({near}, 1e300);
  }
  ClusterBuilder builder{2};
  BlockId block;
};

TEST(HugeNumbers, AreAnErrorOfThePaperModelsThatNamesOne) {
  const HugeBlock huge;
  for (const char* policy : {"lips-paper", "lips-offline", "lips-offline-simple"}) {
    ClusterState state(huge.builder.start);
    state.apply(testing::job(state.snapshot(), {.blocks = {huge.block}, .constraint = ConstraintId(0)}));
    const CostModel costs = uniform_costs(2, UsdPerMebibyte(0.01));
    const Result<Plan> made = (*make_policy(policy, {}))->decide({state.snapshot(), costs, 1, {}, nullptr});
    ASSERT_FALSE(made.has_value()) << policy;
    EXPECT_EQ(made.error().code, ErrorCode::invalid_input);
    EXPECT_THAT(made.error().message, ::testing::HasSubstr("the cost of column"));
  }
}

TEST(HugeNumbers, MakeLipsFallBackToItsGreedyPlanWithoutABound) {
  const HugeBlock huge;
  PolicySettings settings;
  settings.lips.horizon = std::chrono::seconds(600);
  Case with("lips", huge.builder, settings);
  with.add({.blocks = {huge.block}, .constraint = ConstraintId(0)});
  const Plan plan = with.plan();
  EXPECT_TRUE(plan.account.fell_back);
  EXPECT_FALSE(plan.account.lower_bound.has_value());
  EXPECT_EQ(plan.assignments.size(), 1u);
}

// The model counts at least a millisecond of work a task; dollars count less.
TEST(TinyNumbers, LeaveTheBoundBelowTheCost) {
  for (const double locality : {0.0, 1e-6}) {
    ClusterBuilder builder(2);
    const NodeId node = builder.node({.cpu = 0.5});
    builder.node({.zone = ZoneId(1), .price = 2});
    const BlockId block = builder.block({node}, 1.0 / (1 << 20));
    PolicySettings settings;
    settings.lips.horizon = std::chrono::seconds(60);
    settings.lips.locality_price = UsdPerMebibyte(locality);
    Case with("lips", builder, settings);
    with.add({.blocks = {block}, .cpu = 1e-6, .cores = 0.5});
    const Plan plan = with.plan();
    EXPECT_EQ(plan.assignments.size(), 1u);
    ASSERT_TRUE(plan.account.lower_bound.has_value());
    EXPECT_GE(plan.account.gap, -1e-9);
  }
}

}  // namespace
}  // namespace lips
