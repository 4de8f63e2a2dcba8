// dl-sched, lsap, lsap-uniform and lsap-fair on clusters by hand, and lsap against every possible assignment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "model/validate_plan.h"
#include "policies/papers/lsap/placement.h"
#include "policies/papers/lsap/task_costs.h"
#include "tests/policies/case.h"
#include "tests/policies/random_cluster.h"

namespace lips {
namespace {

using testing::Case;
using testing::ClusterBuilder;
using ::testing::IsEmpty;
using testing::Runs;
using ::testing::UnorderedElementsAre;

Locality level_of(const ClusterSnapshot& cluster, const Assignment& assignment) {
  return assignment.read_from.valid() ? locality_of(cluster, assignment.read_from, assignment.node) : Locality::none;
}

// Figure 1: T1's input is on A and B, T2's on A alone.
struct Figure1 {
  ClusterBuilder builder;
  NodeId a = builder.node({.slots = 1, .cpu = 1}), b = builder.node({.slots = 1, .cpu = 1});
  BlockId on_both = builder.block({a, b}), on_a = builder.block({a});
};

TEST(Lsap, MakesBothTasksOfFigureOneLocal) {
  for (const char* policy : {"lsap", "lsap-uniform", "lsap-fair"}) {
    Figure1 figure;
    Case test(policy, figure.builder);
    const JobId job = test.add({.blocks = {figure.on_both, figure.on_a}});
    EXPECT_THAT(test.plan().assignments,
                UnorderedElementsAre(Runs(test.task(job, 0), figure.b), Runs(test.task(job, 1), figure.a)))
        << policy;
  }
}

TEST(Lsap, TradesOneFarReadForTwoNearOnesWhereUniformCostsDoNot) {
  // Two tasks, one slot beside the only replica of both in zone 0 and one slot in zone 1: the smaller input travels.
  ClusterBuilder builder(2);
  builder.start.network.remote_stream = MebibytesPerSecond(10);
  builder.start.network.zone_stream = MebibytesPerSecond(100);
  const NodeId near = builder.node({.slots = 1, .cpu = 1});
  const NodeId far = builder.node({.zone = ZoneId(1), .slots = 1, .cpu = 1});
  const BlockId small = builder.block({near}, 16), large = builder.block({near}, 128);
  Case test("lsap", builder);
  const JobId job = test.add({.blocks = {small, large}});
  EXPECT_THAT(test.plan().assignments,
              UnorderedElementsAre(Runs(test.task(job, 0), far), Runs(test.task(job, 1), near)));
}

TEST(Lsap, PrefersTheRackOverTheZoneWhereItsBandwidthIsHigher) {
  ClusterBuilder builder;
  builder.start.network.node_link = MebibytesPerSecond(100);
  builder.start.network.rack_link = MebibytesPerSecond(10);
  const RackId here = builder.rack(), there = builder.rack();
  const NodeId busy = builder.node({.slots = 1, .cpu = 1, .rack = here});
  builder.node({.slots = 1, .cpu = 1, .rack = there});
  const NodeId beside = builder.node({.slots = 1, .cpu = 1, .rack = here});
  builder.start.nodes[busy].schedulable = false;
  const BlockId block = builder.block({busy});
  Case test("lsap", builder);
  const JobId job = test.add({.blocks = {block}});
  EXPECT_THAT(test.plan().assignments, ::testing::ElementsAre(Runs(test.task(job, 0), beside)));
}

TEST(Lsap, ServesWhoWaitedBeyondPatienceBeforeAnyoneLocal) {
  for (const char* policy : {"lsap", "lsap-uniform", "lsap-fair"}) {
    ClusterBuilder builder;
    const NodeId gone = builder.node({.slots = 1, .cpu = 1}), idle = builder.node({.slots = 1, .cpu = 1});
    builder.start.nodes[gone].schedulable = false;
    const BlockId far = builder.block({gone}), near = builder.block({idle});
    PolicySettings settings;
    settings.lsap.patience = seconds(60);
    Case test(policy, builder, settings);
    test.at(100);
    const JobId old = test.add({.name = "old", .arrival = 0, .blocks = {far}});
    const JobId young = test.add({.name = "young", .arrival = 10, .blocks = {near}});
    EXPECT_THAT(test.plan().assignments, ::testing::ElementsAre(Runs(test.task(young, 0), idle))) << policy;
    test.step();
    test.finish(test.task(young, 0));
    test.add({.name = "later", .arrival = 99, .blocks = {near}});
    EXPECT_THAT(test.plan().assignments, ::testing::ElementsAre(Runs(test.task(old, 0), idle))) << policy;
  }
}

// ---- fairness

struct TwoPools {
  ClusterBuilder builder;
  PoolId heavy, light;
  std::vector<NodeId> nodes;
  TwoPools() {
    builder.start.pools = {};
    heavy = builder.pool(3);
    light = builder.pool(1);
    for (int i = 0; i < 8; ++i) nodes.push_back(builder.node({.slots = 1, .cpu = 1}));
  }
};

std::map<PoolId, int> by_pool(const ClusterSnapshot& cluster, const Plan& plan) {
  std::map<PoolId, int> count;
  for (const Assignment& assignment : plan.assignments) ++count[cluster.jobs[cluster.tasks[assignment.task].job].pool];
  return count;
}

TEST(LsapFair, FillsEachPoolsShareWhenSlotsAreShort) {
  TwoPools pools;
  Case test("lsap-fair", pools.builder);
  test.add({.pool = pools.light, .maps = 20});
  test.add({.pool = pools.heavy, .maps = 20});
  const auto count = by_pool(test.state.snapshot(), test.plan());
  EXPECT_EQ(count.at(pools.heavy), 6);
  EXPECT_EQ(count.at(pools.light), 2);
}

TEST(LsapFair, LeavesThePoolThatUsesMoreThanItsShareWaiting) {
  TwoPools pools;
  Case test("lsap-fair", pools.builder);
  test.add({.pool = pools.light, .maps = 4});
  EXPECT_EQ(test.step().size(), 4u);
  test.add({.pool = pools.light, .maps = 20});
  test.add({.pool = pools.heavy, .maps = 20});
  const auto count = by_pool(test.state.snapshot(), test.plan());
  EXPECT_EQ(count.at(pools.heavy), 4);
  EXPECT_EQ(count.count(pools.light), 0u);
}

TEST(LsapFair, IgnoresSharesWhenSlotsSufficeForAll) {
  TwoPools pools;
  Case test("lsap-fair", pools.builder);
  test.add({.pool = pools.light, .maps = 8});
  EXPECT_EQ(test.plan().assignments.size(), 8u);
}

// One idle node; the heavy pool's task is remote, the light one's is local.
int heavy_runs(double remote_cost, UnreachableCost unreachable = UnreachableCost::by_formula) {
  TwoPools pools;
  for (std::size_t i = 1; i < pools.nodes.size(); ++i) pools.builder.start.nodes[pools.nodes[i]].schedulable = false;
  const BlockId far = pools.builder.block({pools.nodes[1]}), near = pools.builder.block({pools.nodes[0]});
  PolicySettings settings;
  settings.lsap.alpha = 1;
  settings.lsap.remote_cost = settings.lsap.zone_cost = settings.lsap.rack_cost = remote_cost;
  settings.lsap.unreachable = unreachable;
  Case test("lsap-fair", pools.builder, settings);
  test.add({.pool = pools.light, .blocks = {near}});
  test.add({.pool = pools.heavy, .blocks = {far}});
  return by_pool(test.state.snapshot(), test.plan())[pools.heavy];
}

TEST(LsapFair, GivesWayToLocalityAsItsCostGrows) {
  EXPECT_EQ(heavy_runs(1), 1);      // the slot is the heavy pool's share
  EXPECT_EQ(heavy_runs(10000), 0);  // dearer than going beyond the light pool's share
}

TEST(LsapFair, ReadsLineTwentyNineWhenAsked) {
  EXPECT_EQ(heavy_runs(10000, UnreachableCost::one), 1);  // a hopelessly remote task costs 1
}

// ---- dl-sched

TEST(DlSched, TakesALocalTaskElseOneOfTheRackElseAny) {
  ClusterBuilder builder;
  const RackId rack = builder.rack(), other = builder.rack();
  const NodeId idle = builder.node({.slots = 1, .cpu = 1, .rack = rack});
  const NodeId beside = builder.node({.rack = rack}), away = builder.node({.rack = other});
  builder.start.nodes[beside].schedulable = builder.start.nodes[away].schedulable = false;
  const BlockId on_it = builder.block({idle}), near = builder.block({beside}), far = builder.block({away});
  Case test("dl-sched", builder);
  const JobId job = test.add({.blocks = {far, near, on_it}});
  for (const std::uint32_t next : {2u, 1u, 0u}) {
    EXPECT_THAT(test.step(), ::testing::ElementsAre(Runs(test.task(job, next), idle)));
    test.finish(test.task(job, next));
  }
}

TEST(DlSched, MissesTheBestOfFigureOneInSomeOrders) {
  bool missed = false, made = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Figure1 figure;
    Case test("dl-sched", figure.builder);
    test.add({.blocks = {figure.on_both, figure.on_a}});
    const auto policy = make_policy("dl-sched", {});
    const Plan plan = *(*policy)->decide({test.state.snapshot(), test.costs, seed, {}, nullptr});
    const auto local = std::ranges::count_if(plan.assignments, [&](const Assignment& assignment) {
      return level_of(test.state.snapshot(), assignment) == Locality::node;
    });
    (local == 2 ? made : missed) = true;
  }
  EXPECT_TRUE(missed);
  EXPECT_TRUE(made);
}

// ---- the solver's ways agree

double transfer_cost(const ClusterSnapshot& cluster, const lsap::LevelCosts& levels, const Plan& plan) {
  double sum = 0;
  for (const Assignment& assignment : plan.assignments)
    sum += levels.of(level_of(cluster, assignment), cluster.tasks[assignment.task].input);
  return sum;
}

ClusterState one_size_state(std::uint64_t seed, bool racks) {
  Random random(seed);
  ClusterBuilder builder(3);
  builder.start.network.node_link = MebibytesPerSecond(100);
  builder.start.network.remote_stream = MebibytesPerSecond(25);
  std::vector<RackId> rack_of;  // two a zone
  for (std::uint32_t i = 0; i < 6; ++i) rack_of.push_back(builder.rack(ZoneId(i % 3)));
  for (std::uint32_t i = 0; i < 12; ++i) {
    const ZoneId zone(i % 3);
    testing::NodeSpec spec{.zone = zone, .slots = 1 + static_cast<int>(random.below(3)), .cpu = 4};
    if (racks && i != 7) spec.rack = rack_of[i % 6];
    builder.node(spec);
  }
  const StoreId volume = builder.volume(ZoneId(0));
  std::vector<BlockId> blocks;
  for (std::uint32_t i = 0; i < 30; ++i) {
    std::vector<StoreId> stores;
    const NodeId first(static_cast<std::uint32_t>(random.below(12))),
        second(static_cast<std::uint32_t>(random.below(12)));
    stores.push_back(random.below(6) == 0 ? volume : builder.own_store[first]);
    if (second != first) stores.push_back(builder.own_store[second]);
    std::ranges::sort(stores);
    blocks.push_back(builder.block_in(stores, 32 * static_cast<double>(1 + random.below(3))));
  }
  ClusterState state(builder.start);
  const std::size_t tasks = 5 + random.below(25);
  state.apply(testing::job(state.snapshot(), {.blocks = {blocks.begin(), blocks.begin() + static_cast<long>(tasks)},
                                              .maps = static_cast<int>(random.below(3))}));
  return state;
}

TEST(LsapPlacement, CostsAsMuchTieredAsDense) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ClusterState state = one_size_state(seed, seed % 2 == 0);
    const ClusterSnapshot& cluster = state.snapshot();
    const CostModel costs = uniform_costs(3, UsdPerMebibyte(0.01));
    Draft draft({cluster, costs, 1, {}, nullptr});
    PolicySettings by_rack;
    by_rack.lsap.rack_cost = 1;
    by_rack.lsap.zone_cost = by_rack.lsap.remote_cost = 4;
    const lsap::LevelCosts levels = lsap::level_costs(cluster.network, seed % 4 == 0 ? by_rack : PolicySettings{});
    const lsap::Wave wave = lsap::gather_wave(draft, true, 1);
    const auto task_costs = lsap::locality_costs(cluster, wave, levels);
    const lsap::Placing tiered = lsap::solve_placement(cluster, wave, levels, task_costs, 1u << 20);
    ASSERT_EQ(tiered.solved_as, lsap::SolvedAs::tiered);
    EXPECT_TRUE(tiered.exact);
    lsap::LevelCosts not_tiered = levels;  // says so only; the costs of the tasks stay
    not_tiered.cost = {0, 1, 2, 3, 0};
    const lsap::Placing dense = lsap::solve_placement(cluster, wave, not_tiered, task_costs, 1u << 20);
    ASSERT_EQ(dense.solved_as, lsap::SolvedAs::dense);
    ASSERT_EQ(tiered.placed.size(), dense.placed.size());
    double tiered_cost = 0, dense_cost = 0;
    for (const lsap::Placed& placed : tiered.placed) tiered_cost += placed.cost;
    for (const lsap::Placed& placed : dense.placed) dense_cost += placed.cost;
    EXPECT_DOUBLE_EQ(tiered_cost, dense_cost);
  }
}

void close_nodes_from(ClusterState& state, std::uint32_t first) {
  for (std::uint32_t i = first; i < 12; ++i) {
    Node node = state.snapshot().nodes[NodeId(i)];
    node.schedulable = false;
    state.apply(NodeChanged{NodeId(i), node});
  }
}

TEST(LsapPlacement, LosesNothingByLeavingOutTasksThatAreAlike) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ClusterState state = one_size_state(seed, false);
    // Few slots left: all nodes but two are closed.
    close_nodes_from(state, 2);
    const ClusterSnapshot& cluster = state.snapshot();
    const CostModel costs = uniform_costs(3, UsdPerMebibyte(0.01));
    Draft draft({cluster, costs, 1, {}, nullptr});
    const lsap::LevelCosts levels = lsap::level_costs(cluster.network, {});
    double cost[2] = {};
    std::size_t tasks[2] = {};
    for (const bool all : {false, true}) {
      const lsap::Wave wave = lsap::gather_wave(draft, all, 1);
      tasks[all] = wave.tasks.size();
      EXPECT_EQ(wave.waiting, cluster.pending_tasks);
      // Scaled alike: the largest cost is that of the largest block in both.
      for (const lsap::Placed& placed :
           lsap::solve_placement(cluster, wave, levels, lsap::locality_costs(cluster, wave, levels), 1u << 20).placed) {
        const Task& task = cluster.tasks[wave.tasks[placed.task].task];
        const NodeId node = wave.nodes[placed.node].node;
        cost[all] += levels.of(nearest_replica(cluster, costs, task.block, node).locality, task.input);
      }
    }
    EXPECT_LE(tasks[0], tasks[1]);
    EXPECT_NEAR(cost[0], cost[1], 1e-5);
  }
}

TEST(LsapPlacement, CountsCreditsAsDenseDoes) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ClusterState state = one_size_state(seed, false);
    close_nodes_from(state, 3);
    const ClusterSnapshot& cluster = state.snapshot();
    const CostModel costs = uniform_costs(3, UsdPerMebibyte(0.01));
    Draft draft({cluster, costs, 1, {}, nullptr});
    const lsap::LevelCosts levels = lsap::level_costs(cluster.network, {});
    const lsap::Wave wave = lsap::gather_wave(draft, true, 1);
    auto task_costs = lsap::locality_costs(cluster, wave, levels);
    Random random(seed);
    double largest = 0;
    for (const lsap::TaskCost& cost : task_costs) largest = std::max(largest, *std::ranges::max_element(cost.at));
    for (lsap::TaskCost& cost : task_costs) cost.credit = largest * static_cast<double>(random.below(20)) / 4;
    lsap::LevelCosts not_tiered = levels;
    not_tiered.cost = {0, 1, 2, 3, 0};
    const auto total = [&](const lsap::LevelCosts& how) {
      const lsap::Placing placing = lsap::solve_placement(cluster, wave, how, task_costs, 1u << 20);
      double sum = 0;
      for (const lsap::Placed& placed : placing.placed) {
        const Task& task = cluster.tasks[wave.tasks[placed.task].task];
        const Locality level = task.block.valid()
                                   ? nearest_replica(cluster, costs, task.block, wave.nodes[placed.node].node).locality
                                   : Locality::node;
        sum += task_costs[placed.task].at[level] - task_costs[placed.task].credit;
      }
      return std::pair(placing.solved_as, sum);
    };
    const auto [tiered, tiered_sum] = total(levels);
    const auto [dense, dense_sum] = total(not_tiered);
    EXPECT_EQ(tiered, lsap::SolvedAs::tiered);
    EXPECT_EQ(dense, lsap::SolvedAs::dense);
    EXPECT_NEAR(tiered_sum, dense_sum, 1e-4 * largest);
  }
}

// All ways to put tasks on slots, for tiny problems.
double least_cost(const ClusterSnapshot& cluster, const CostModel& costs, const lsap::LevelCosts& levels,
                  const std::vector<TaskId>& tasks, std::size_t at, std::vector<std::int32_t>& slots) {
  if (at == tasks.size()) return 0;
  double best = 1e300;
  for (const NodeId node : cluster.nodes.ids()) {
    if (slots[node.index()] == 0) continue;
    --slots[node.index()];
    const Task& task = cluster.tasks[tasks[at]];
    best = std::min(best, levels.of(nearest_replica(cluster, costs, task.block, node).locality, task.input) +
                              least_cost(cluster, costs, levels, tasks, at + 1, slots));
    ++slots[node.index()];
  }
  return best;
}

TEST(Lsap, FindsTheLeastCostOfAllAssignments) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    ClusterBuilder builder(2);
    builder.start.network.zone_stream = MebibytesPerSecond(100);
    builder.start.network.remote_stream = MebibytesPerSecond(30);
    std::vector<NodeId> nodes;
    for (std::uint32_t i = 0; i < 4; ++i) nodes.push_back(builder.node({.zone = ZoneId(i % 2), .slots = 2, .cpu = 2}));
    std::vector<BlockId> blocks;
    for (int i = 0; i < 6; ++i)
      blocks.push_back(builder.block({nodes[random.below(2)]}, 16 * static_cast<double>(1 + random.below(4))));
    Case test("lsap", builder);
    test.add({.blocks = blocks});
    const ClusterSnapshot& cluster = test.state.snapshot();
    const lsap::LevelCosts levels = lsap::level_costs(cluster.network, {});
    std::vector<std::int32_t> slots(4, 2);
    const Plan plan = test.plan();
    EXPECT_EQ(plan.assignments.size(), 6u);
    EXPECT_NEAR(transfer_cost(cluster, levels, plan),
                least_cost(cluster, test.costs, levels, testing::tasks_in(cluster, TaskState::pending), 0, slots),
                1e-5);
  }
}

TEST(Lsap, PutsTogetherOnlyWhatFitsWhereRequestsDiffer) {
  for (const char* policy : {"lsap", "lsap-uniform", "lsap-fair", "dl-sched"}) {
    ClusterBuilder builder;
    for (int i = 0; i < 3; ++i) builder.node({.slots = 8, .cpu = 4});
    Case test(policy, builder);
    test.add({.maps = 5, .cores = 1});
    test.add({.maps = 3, .cores = 3});
    const Plan plan = test.plan();
    EXPECT_THAT(validate_single_wave(test.state.snapshot(), plan), IsEmpty()) << policy;
    EXPECT_GE(plan.assignments.size(), 6u) << policy;
  }
}

}  // namespace
}  // namespace lips
