// The promises of every policy in the registry, whatever its idea.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "model/task_bill.h"
#include "model/validate_plan.h"
#include "policies/registry/registry.h"
#include "simulation/random_snapshot.h"
#include "tests/model/difference.h"
#include "tests/policies/closed_loop.h"
#include "tests/policies/random_cluster.h"
#include "tests/policies/random_world.h"

namespace lips {
namespace {

using testing::all_nodes;
using ::testing::IsEmpty;
using testing::random_state;
using testing::RandomShape;

CostModel costs(std::size_t zones) { return uniform_costs(zones, UsdPerMebibyte(0.01)); }

// These fill the free capacity with whatever fits, at once (delay only after its waits; own-zone waits for its zone).
bool is_work_conserving(std::string_view name) {
  return name == "fifo" || name == "spread" || name == "most-allocated" || name == "greedy-cheapest" ||
         name == "stratus" || name == "eva" || name == "dl-sched" || name.starts_with("lsap");
}

// No pool gets cores beyond its maximum. (lips keeps maxima over time: LipsProperty.)
bool keeps_maxima(std::string_view name) {
  return name == "delay" || name == "fair" || name == "capacity" || name == "modified-fair" || name == "pipeline";
}

// One wave: never more than fits now.
bool is_single_wave(std::string_view name) { return !name.starts_with("lips") && name != "pipeline"; }

bool must_decode(const ClusterSnapshot& cluster, TaskId task) {
  const BlockId block = cluster.tasks[task].block;
  return block.valid() && cluster.blocks[block].replicas.empty();
}
bool at_maximum(const ClusterSnapshot& cluster, const Job& job) {
  const Cores most = cluster.pools[job.pool].maximum;
  return most.value() > 0 && cluster.pool_cores[job.pool] + job.request.cpu > most + Cores(1e-7);
}

class EveryPolicy : public ::testing::TestWithParam<PolicyEntry> {
 protected:
  std::unique_ptr<Policy> policy_ = GetParam().make(PolicySettings{});

  Plan decide(const ClusterSnapshot& cluster, const CostModel& prices, std::uint64_t seed = 1) const {
    const std::vector<NodeId> reporting = all_nodes(cluster);
    Result<Plan> plan = policy_->decide({cluster, prices, seed, reporting, nullptr});
    EXPECT_TRUE(plan.has_value()) << (plan ? "" : plan.error().message);
    return plan ? *plan : Plan{};
  }

  std::size_t check(const ClusterSnapshot& cluster, const CostModel& prices) const {
    const Plan plan = decide(cluster, prices);
    EXPECT_THAT(is_single_wave(GetParam().name) ? validate_single_wave(cluster, plan) : validate_plan(cluster, plan),
                IsEmpty());
    return plan.assignments.size();
  }
};

TEST_P(EveryPolicy, PlansWhatIsPossibleInRandomClusters) {
  std::size_t assigned = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomShape shape;
    shape.racks = seed % 2 == 0;
    shape.labels = seed % 3 != 0;
    shape.lost_blocks = seed % 5 == 0;
    shape.moves = seed % 7 == 0;
    assigned += check(random_state(seed, shape).snapshot(), costs(3));
    if (HasFailure()) return;
  }
  EXPECT_GT(assigned, 150u) << "hardly anything was planned";
}

TEST_P(EveryPolicy, PlansWhatIsPossibleInGeneratedClusters) {
  std::size_t assigned = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const simulation::SnapshotShape shape = simulation::random_full_shape(seed);
    assigned += check(simulation::random_cluster(shape).snapshot(), simulation::random_costs(shape));
    if (HasFailure()) return;
  }
  EXPECT_GT(assigned, 60u) << "hardly anything was planned";
}

TEST_P(EveryPolicy, MakesEqualPlansOfEqualInputs) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Plan first = decide(random_state(seed).snapshot(), costs(3));
    const Plan second = decide(random_state(seed).snapshot(), costs(3));
    EXPECT_EQ(testing::difference(first, second), "");
  }
}

TEST_P(EveryPolicy, KeepsNoMemoryBetweenDecisions) {
  const ClusterState state = random_state(7), other = random_state(8);
  const Plan fresh = decide(state.snapshot(), costs(3));
  decide(other.snapshot(), costs(3));
  EXPECT_EQ(testing::difference(decide(state.snapshot(), costs(3)), fresh), "");
}

TEST_P(EveryPolicy, CountsInItsAccountWhatItsAssignmentsCost) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ClusterState state = random_state(seed);
    const Plan plan = decide(state.snapshot(), costs(3));
    Bill bill;
    for (const Assignment& assignment : plan.assignments)
      bill += task_bill(state.snapshot(), costs(3), state.snapshot().tasks[assignment.task], assignment);
    EXPECT_NEAR(plan.account.cpu.value(), bill.cpu.value(), 1e-6 * (1 + bill.cpu.value()));
    EXPECT_NEAR(plan.account.transfer.value(), bill.transfer.value(), 1e-6 * (1 + bill.transfer.value()));
    EXPECT_NEAR(plan.account.shuffle.value(), bill.shuffle.value(), 1e-6 * (1 + bill.shuffle.value()));
  }
}

TEST_P(EveryPolicy, KeepsMaximaWhereItPromisesSo) {
  if (!keeps_maxima(GetParam().name)) GTEST_SKIP() << GetParam().name << " plans without maxima, or over time";
  std::size_t full = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::RandomWorld world(simulation::random_full_shape(seed));
    testing::bind_more(seed, world.cluster);
    const ClusterSnapshot& cluster = world.cluster;
    IdVector<PoolId, double> used(cluster.pools.size(), 0);
    for (const PoolId pool : cluster.pools.ids()) used[pool] = cluster.pool_cores[pool].value();
    const Plan plan = decide(cluster, world.costs);
    const auto request = [&](TaskId task) { return cluster.jobs[cluster.tasks[task].job].request.cpu.value(); };
    const auto pool_of = [&](TaskId task) { return cluster.jobs[cluster.tasks[task].job].pool; };
    for (const Assignment& start : plan.assignments) used[pool_of(start.task)] += request(start.task);
    for (const Reclaim& reclaim : plan.reclaims) used[pool_of(reclaim.task)] -= request(reclaim.task);
    for (const PoolId pool : cluster.pools.ids()) {
      const double most = cluster.pools[pool].maximum.value();
      if (most <= 0) continue;
      EXPECT_LE(used[pool], std::max(most, cluster.pool_cores[pool].value()) + 1e-5) << cluster.pools[pool].name;
      full += used[pool] > most - 1;
    }
  }
  EXPECT_GT(full, 50u) << "hardly any pool came to its maximum";
}

TEST_P(EveryPolicy, LeavesNothingThatFitsWhereItPromisesSo) {
  if (!is_work_conserving(GetParam().name)) GTEST_SKIP() << GetParam().name << " may wait";
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ClusterState state = random_state(seed);
    for (const Assignment& assignment : decide(state.snapshot(), costs(3)).assignments)
      ASSERT_TRUE(state.assume(assignment));
    const ClusterSnapshot& cluster = state.snapshot();
    for (TaskId task : testing::tasks_in(cluster, TaskState::pending))
      for (NodeId node : cluster.nodes.ids()) {
        const Job& job = cluster.jobs[cluster.tasks[task].job];
        if (must_decode(cluster, task) && at_maximum(cluster, job)) continue;
        EXPECT_FALSE(cluster.nodes[node].schedulable && cluster.eligible(job.constraint, node) &&
                     cluster.free[node].cpu.value() > 0 && fits(job.request, cluster.free[node]))
            << "task " << task.index() << " fits on node " << node.index();
      }
  }
}

TEST_P(EveryPolicy, FinallyRunsEveryTaskThatSomeNodeCanRun) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomShape shape;
    shape.free_of_charge = seed % 5 == 0;
    const CostModel prices = shape.free_of_charge ? uniform_costs(3, UsdPerMebibyte(0)) : costs(3);
    ClusterState state = random_state(seed, shape);
    testing::ClosedLoop loop(state, *policy_, prices);
    loop.run(4000);
    for (TaskId task : testing::tasks_in(state.snapshot(), TaskState::pending))
      EXPECT_FALSE(testing::servable(state.snapshot(), task)) << "task " << task.index() << " never ran";
    if (HasFailure()) return;
  }
}

TEST_P(EveryPolicy, PlansNothingWhenNothingIsPending) {
  testing::ClusterBuilder builder(2);
  builder.node();
  const ClusterState state(builder.start);
  EXPECT_THAT(decide(state.snapshot(), costs(2)).assignments, IsEmpty());
}

TEST_P(EveryPolicy, PlansNothingForAClusterWithoutAnything) {
  const ClusterState state{ClusterSnapshot{}};
  EXPECT_THAT(decide(state.snapshot(), CostModel{}).assignments, IsEmpty());
}

TEST_P(EveryPolicy, AssignsNothingWithoutNodes) {
  testing::ClusterBuilder builder(2);
  ClusterState state(builder.start);
  state.apply(testing::job(state.snapshot(), {.maps = 3}));
  EXPECT_THAT(decide(state.snapshot(), costs(2)).assignments, IsEmpty());
}

TEST_P(EveryPolicy, AssignsNothingWhenAllNodesAreCordoned) {
  testing::ClusterBuilder builder(2);
  builder.start.nodes[builder.node()].schedulable = false;
  ClusterState state(builder.start);
  state.apply(testing::job(state.snapshot(), {.maps = 3}));
  EXPECT_THAT(decide(state.snapshot(), costs(2)).assignments, IsEmpty());
}

TEST_P(EveryPolicy, AssignsNothingWhenNoNodeIsEligible) {
  testing::ClusterBuilder builder;
  const NodeId node = builder.node();
  builder.start.constraints.push_back({{{"disk", LabelRequirement::Operator::exists, {}}}, {}, {}});
  const BlockId block = builder.block({node});
  ClusterState state(builder.start);
  state.apply(testing::job(state.snapshot(), {.blocks = {block}, .maps = 3, .constraint = ConstraintId(0)}));
  EXPECT_THAT(decide(state.snapshot(), costs(1)).assignments, IsEmpty());
}

TEST_P(EveryPolicy, AssignsNoTaskThatIsLargerThanAnyNode) {
  testing::ClusterBuilder builder;
  builder.node();
  ClusterState state(builder.start);
  state.apply(testing::job(state.snapshot(), {.maps = 3, .cores = 8}));
  state.apply(testing::job(state.snapshot(), {.maps = 3, .memory = 1e6}));
  EXPECT_THAT(decide(state.snapshot(), costs(1)).assignments, IsEmpty());
}

TEST_P(EveryPolicy, WorksWhereEverythingIsFree) {
  testing::ClusterBuilder builder;
  const NodeId node = builder.node({.price = 0});
  const BlockId block = builder.block({node});
  ClusterState state(builder.start);
  state.apply(testing::job(state.snapshot(), {.blocks = {block}, .maps = 1, .cpu = 0}));
  testing::ClosedLoop loop(state, *policy_, uniform_costs(1, UsdPerMebibyte(0)));
  loop.run(1000);
  EXPECT_TRUE(state.snapshot().jobs[JobId(0)].finished());
}

TEST_P(EveryPolicy, LeavesTasksWhoseDataIsLost) {
  testing::ClusterBuilder builder;
  builder.node();
  const BlockId lost = builder.block({});
  ClusterState state(builder.start);
  state.apply(testing::job(state.snapshot(), {.blocks = {lost, lost}}));
  EXPECT_THAT(decide(state.snapshot(), costs(1)).assignments, IsEmpty());
}

TEST_P(EveryPolicy, HasANameASummaryAndACadence) {
  EXPECT_FALSE(GetParam().name.empty());
  EXPECT_FALSE(GetParam().summary.empty());
  EXPECT_GT(policy_->cadence().interval, Duration(0));
  const Result<std::unique_ptr<Policy>> made = make_policy(GetParam().name, {});
  ASSERT_TRUE(made.has_value());
  EXPECT_NE(*made, nullptr);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryPolicy, ::testing::ValuesIn(policy_registry().begin(), policy_registry().end()),
                         [](const auto& entry) {
                           std::string name(entry.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(PolicyRegistry, NamesEveryPolicyOnce) {
  std::set<std::string_view> names;
  for (const PolicyEntry& entry : policy_registry()) EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
}

TEST(PolicyRegistry, SaysWhichPoliciesThereAreWhenANameIsUnknown) {
  const Result<std::unique_ptr<Policy>> made = make_policy("fair-ish", {});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, ErrorCode::not_found);
  EXPECT_THAT(made.error().message, ::testing::HasSubstr("fair-ish"));
  for (const PolicyEntry& entry : policy_registry())
    EXPECT_THAT(made.error().message, ::testing::HasSubstr(std::string(entry.name)));
}

}  // namespace

// How gtest names a failing parameter.
void PrintTo(const PolicyEntry& entry, std::ostream* out) { *out << entry.name; }

}  // namespace lips
