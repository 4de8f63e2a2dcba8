#include "policies/papers/lips_paper/lips_paper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/random.h"
#include "model/cluster_state.h"
#include "model/validate_plan.h"
#include "policies/papers/lips_paper/lips_offline.h"
#include "policies/papers/lips_paper/lips_paper_plan.h"
#include "policies/papers/lips_paper/lips_paper_rounding.h"
#include "policies/registry/registry.h"
#include "simulation/random_snapshot.h"

namespace lips {
namespace {

using paper::Granularity;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr UsdPerMebibyte across(1e-5);

// Zones a and b with nodes of one core; a block of data set 0 at the first node of zone a unless told otherwise.
struct SmallCluster {
  ClusterSnapshot start;
  CostModel costs = uniform_costs(2, across);

  SmallCluster(int nodes_a, int nodes_b, double price_a, double price_b) {
    start.zones.push_back({"a"});
    start.zones.push_back({"b"});
    start.profiles.push_back({});
    start.pools.push_back(Pool{.name = "default", .minimum = {}, .maximum = {}, .shortfall_price = {}});
    for (int n = 0; n < nodes_a; ++n) add_node(0, price_a);
    for (int n = 0; n < nodes_b; ++n) add_node(1, price_b);
  }
  void add_node(std::uint32_t zone, double price) {
    Node node;
    node.name = "n" + std::to_string(start.nodes.size());
    node.zone = ZoneId(zone);
    node.profile = ProfileId(0);
    node.capacity = {Cores(1), Mebibytes(4096), 1};
    node.cpu_price = UsdPerCpuSecond(price);
    const NodeId id = start.nodes.push_back(node);
    DataStore store;
    store.name = "s" + std::to_string(start.stores.size());
    store.zone = ZoneId(zone);
    store.node = id;
    start.stores.push_back(store);
  }
  void add_data(int blocks, std::uint32_t store) {
    DataSet data_set;
    data_set.first_block = BlockId(static_cast<std::uint32_t>(start.blocks.size()));
    data_set.blocks = static_cast<std::uint32_t>(blocks);
    const DataSetId id = start.data_sets.push_back(data_set);
    for (int b = 0; b < blocks; ++b) start.blocks.push_back({id, Mebibytes(64), {}, {{StoreId(store), false, {}}}});
  }
  static JobArrived job(int tasks, double cpu, std::uint32_t first_block, double at = 0) {
    JobArrived arrived;
    arrived.job.name = "j";
    arrived.job.pool = PoolId(0);
    arrived.job.arrival = TimePoint(seconds(at));
    arrived.job.request = {Cores(1), Mebibytes(512), 1};
    arrived.job.map_tasks = static_cast<std::uint32_t>(tasks);
    for (int t = 0; t < tasks; ++t) {
      Task task;
      task.cpu = CpuSeconds(cpu);
      if (first_block != BlockId::none_value) {
        task.block = BlockId(first_block + static_cast<std::uint32_t>(t));
        task.input = Mebibytes(64);
      }
      arrived.tasks.push_back(task);
    }
    return arrived;
  }
  static constexpr std::uint32_t no_input = BlockId::none_value;
};

Plan decided(const Policy& policy, const ClusterState& state, const CostModel& costs) {
  const Result<Plan> plan = policy.decide({.cluster = state.snapshot(), .costs = costs, .reporting = {}});
  EXPECT_TRUE(plan.has_value()) << (plan ? "" : plan.error().message);
  if (!plan) return {};
  EXPECT_THAT(validate_plan(state.snapshot(), *plan), IsEmpty());
  return *plan;
}

PolicySettings with_epoch(int length) {
  PolicySettings settings;
  settings.paper.epoch = std::chrono::seconds(length);
  return settings;
}

std::map<NodeId, int> tasks_by_node(const Plan& plan) {
  std::map<NodeId, int> counts;
  for (const Assignment& assignment : plan.assignments) ++counts[assignment.node];
  return counts;
}

TEST(RoundShares, GivesWholeTasksByLargestRemainder) {
  EXPECT_THAT(paper::round_shares({0.5, 0.3, 0.2}, 10), ElementsAre(5, 3, 2));
  EXPECT_THAT(paper::round_shares({0.45, 0.45, 0.1}, 3), ElementsAre(2, 1, 0));
  EXPECT_THAT(paper::round_shares({1, 0}, 7), ElementsAre(7, 0));
  EXPECT_THAT(paper::round_shares({0}, 3), ElementsAre(3)) << "shares that add up to less are filled";
}

TEST(RoundShares, RoundsSmallOnesUpToTheLeastTask) {
  EXPECT_THAT(paper::round_shares({0.7, 0.2, 0.1, 0}, 10, 3), ElementsAre(7, 0, 3, 0));
  EXPECT_THAT(paper::round_shares({0.1, 0.9}, 10, 4), ElementsAre(4, 6)) << "at the cost of what waits";
  EXPECT_THAT(paper::round_shares({0.5, 0.5, 0}, 2, 4), ElementsAre(2, 0, 0))
      << "a job smaller than the least stays whole";
}

TEST(LipsPaper, MovesTasksOnlyWhenTheirCpuSavesMoreThanTheirInputCosts) {  // Fig. 1
  for (const double dear : {5e-5, 4e-5}) {
    SmallCluster cluster(2, 2, dear, 1e-5);
    cluster.add_data(4, 0);
    ClusterState state(cluster.start);
    state.apply(
        SmallCluster::job(4, 20, 0));  // 64 MiB x 1e-5 = 64e-5 across; 20 s x 4e-5 = 80e-5 or 20 s x 3e-5 = 60e-5 saved
    const Plan plan = decided(*make_lips_paper(with_epoch(600)), state, cluster.costs);
    ASSERT_EQ(plan.assignments.size(), 4U);
    for (const Assignment& assignment : plan.assignments)
      EXPECT_EQ(state.snapshot().nodes[assignment.node].zone, ZoneId(dear == 5e-5 ? 1 : 0));
    EXPECT_NEAR(plan.account.gap, 0, 1e-9);
    EXPECT_NEAR(plan.account.objective->value(), 4 * (dear == 5e-5 ? 20e-5 + 64e-5 : 80e-5), 1e-12);
  }
}

TEST(LipsPaper, PutsTasksWhereTheirBlockIsAndSpreadsTheOthersOverTheClass) {
  SmallCluster cluster(3, 0, 1e-5, 0);
  cluster.add_data(1, 2);
  ClusterState state(cluster.start);
  state.apply(SmallCluster::job(1, 50, 0));
  state.apply(SmallCluster::job(5, 50, SmallCluster::no_input));
  const Plan plan = decided(*make_lips_paper(with_epoch(600)), state, cluster.costs);
  EXPECT_EQ(plan.assignments.front().node, NodeId(2));
  for (const auto& [node, tasks] : tasks_by_node(plan)) EXPECT_EQ(tasks, 2) << node.index();
}

TEST(LipsPaper, LeavesTheOverloadForTheNextEpochAndTakesTheOlderJobFirst) {
  SmallCluster cluster(1, 0, 1e-5, 0);
  ClusterState state(cluster.start);
  state.advance(TimePoint(std::chrono::seconds(700)));
  state.apply(SmallCluster::job(6, 100, SmallCluster::no_input, 0));
  state.apply(SmallCluster::job(6, 100, SmallCluster::no_input, 690));
  const Plan plan = decided(*make_lips_paper(with_epoch(600)), state, cluster.costs);
  ASSERT_EQ(plan.assignments.size(), 6U);
  for (const Assignment& assignment : plan.assignments)
    EXPECT_EQ(state.snapshot().tasks[assignment.task].job, JobId(0));
  EXPECT_EQ(plan.rest, DeferralReason::cheaper_later);
  EXPECT_NEAR(plan.account.waiting.value(), 600 * 10 * 1e-5, 1e-9);
}

TEST(LipsPaper, CountsWhatRunningTasksStillNeed) {
  SmallCluster cluster(1, 0, 1e-5, 0);
  ClusterState state(cluster.start);
  state.apply(SmallCluster::job(1, 350, SmallCluster::no_input));
  ASSERT_TRUE(state.assume({TaskId(0), NodeId(0), StoreId::none(), StoreId::none()}));
  state.apply(SmallCluster::job(4, 100, SmallCluster::no_input));
  // 250 of 600 CPU-seconds are left: two and a half tasks; the third starts while there is time and ends in the next
  // epoch.
  EXPECT_EQ(decided(*make_lips_paper(with_epoch(600)), state, cluster.costs).assignments.size(), 3U);
}

TEST(LipsPaper, StartsATaskOfMoreWorkThanAllNodesDoInAnEpoch) {
  SmallCluster cluster(2, 1, 2e-5, 1e-5);
  ClusterState state(cluster.start);
  state.apply(SmallCluster::job(2, 36000, SmallCluster::no_input));
  const Plan plan = decided(*make_lips_paper(with_epoch(600)), state, cluster.costs);
  ASSERT_EQ(plan.assignments.size(), 1U);
  EXPECT_EQ(plan.assignments[0].node, NodeId(2)) << "the cheapest";
  ASSERT_TRUE(state.assume(plan.assignments[0]));
  const Plan later = decided(*make_lips_paper(with_epoch(600)), state, cluster.costs);
  ASSERT_EQ(later.assignments.size(), 1U) << "there are nodes without work";
  EXPECT_NE(later.assignments[0].node, NodeId(2));
}

// However the program shares the nodes out among jobs with tasks of all lengths.
TEST(LipsPaper, NeverLeavesAnIdleClusterToItself) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    SmallCluster cluster(1 + static_cast<int>(random.below(4)), 1 + static_cast<int>(random.below(4)),
                         random.uniform(1e-5, 2e-5), random.uniform(1e-5, 2e-5));
    for (std::uint32_t zone = 0; zone < 2; ++zone)
      if (random.below(2) == 0) cluster.add_node(zone, random.uniform(1e-5, 2e-5));
    cluster.add_data(3, 0);
    ClusterState state(cluster.start);
    for (std::uint64_t jobs = 1 + random.below(4); jobs > 0; --jobs) {
      const bool reads = random.below(2) == 0;
      state.apply(SmallCluster::job(1 + static_cast<int>(random.below(3)), std::exp(random.uniform(std::log(50), 12)),
                                    reads ? 0 : SmallCluster::no_input));
    }
    const Plan plan = decided(*make_lips_paper(with_epoch(600)), state, cluster.costs);
    EXPECT_FALSE(plan.assignments.empty()) << "seed " << seed;
  }
}

TEST(LipsPaper, CopiesWhatSeveralJobsReadAndReadsTheCopies) {
  SmallCluster cluster(1, 2, 50e-5, 1e-5);
  cluster.add_data(4, 0);
  ClusterState state(cluster.start);
  for (int j = 0; j < 2; ++j) state.apply(SmallCluster::job(4, 20, 0));
  const Plan plan = decided(*make_lips_paper(with_epoch(600)), state, cluster.costs);
  ASSERT_EQ(plan.moves.size(), 4U) << "every block once for both readers";
  ASSERT_EQ(plan.assignments.size(), 8U);
  for (const Assignment& assignment : plan.assignments) {
    EXPECT_NE(assignment.read_from, StoreId(0));
    EXPECT_EQ(state.snapshot().nodes[assignment.node].zone, ZoneId(1));
  }
  EXPECT_NEAR(plan.account.copies.value(), 4 * 64e-5, 1e-12);
  EXPECT_EQ(plan.account.transfer.value(), 0);
  const Plan fixed = decided(*make_lips_offline_simple({}), state, cluster.costs);
  EXPECT_TRUE(fixed.moves.empty()) << "Fig. 2 moves nothing";
  EXPECT_NEAR(fixed.account.transfer.value(), 8 * 64e-5, 1e-12);
  EXPECT_EQ(decided(*make_lips_offline({}), state, cluster.costs).moves.size(), 4U) << "Fig. 3 does";
}

TEST(LipsPaper, WaitsForACopyThatIsOnItsWayInsteadOfMakingAnother) {
  SmallCluster cluster(1, 2, 50e-5, 1e-5);
  cluster.add_data(1, 0);
  ClusterState state(cluster.start);
  for (int j = 0; j < 2; ++j) state.apply(SmallCluster::job(1, 20, 0));
  state.begin_move({MoveId(0), BlockId(0), StoreId(0), StoreId(2)});
  const Plan plan = decided(*make_lips_paper(with_epoch(600)), state, cluster.costs);
  EXPECT_TRUE(plan.moves.empty());
  for (const Assignment& assignment : plan.assignments) EXPECT_EQ(assignment.read_from, StoreId(2));
}

TEST(LipsPaper, CopiesNoMoreThanAStoreHasRoomFor) {
  SmallCluster cluster(1, 1, 50e-5, 1e-5);
  cluster.add_data(4, 0);
  cluster.start.stores[StoreId(1)].capacity = Mebibytes(130);
  ClusterState state(cluster.start);
  for (int j = 0; j < 2; ++j) state.apply(SmallCluster::job(4, 20, 0));
  const Plan plan = decided(*make_lips_paper(with_epoch(600)), state, cluster.costs);
  EXPECT_EQ(plan.moves.size(), 2U);
  EXPECT_EQ(plan.assignments.size(), 8U);
}

TEST(LipsPaper, NamesTasksThatNoNodeMayTakeAndTasksWhoseBlockIsNowhere) {
  SmallCluster cluster(1, 0, 1e-5, 0);
  cluster.add_data(1, 0);
  cluster.start.blocks[BlockId(0)].replicas.clear();
  for (int epoch : {600, 0}) {
    ClusterState state(cluster.start);
    state.apply(SmallCluster::job(1, 20, 0));
    JobArrived large = SmallCluster::job(1, 20, SmallCluster::no_input);
    large.job.request.cpu = Cores(2);
    state.apply(large);
    const Plan plan = decided(*make_lips_paper(with_epoch(epoch)), state, cluster.costs);
    EXPECT_TRUE(plan.assignments.empty());
    ASSERT_FALSE(plan.deferrals.empty());
    EXPECT_EQ(plan.deferrals.front(), (Deferral{TaskId(0), DeferralReason::waits_for_data}));
  }
}

TEST(LipsPaper, TakesTheLowestCostTaskFirstWhenTheEpochIsZero) {
  SmallCluster cluster(1, 1, 1e-5, 3e-5);
  ClusterState state(cluster.start);
  state.apply(SmallCluster::job(1, 100, SmallCluster::no_input));
  state.apply(SmallCluster::job(1, 10, SmallCluster::no_input));
  state.apply(SmallCluster::job(1, 50, SmallCluster::no_input));
  const std::unique_ptr<Policy> policy = make_lips_paper(with_epoch(0));
  EXPECT_EQ(policy->cadence().trigger, Cadence::Trigger::events);
  const Plan plan = decided(*policy, state, cluster.costs);
  ASSERT_EQ(plan.assignments.size(), 2U) << "one wave";
  EXPECT_EQ(plan.assignments[0].task, TaskId(1));
  EXPECT_EQ(plan.assignments[0].node, NodeId(0));
  EXPECT_EQ(plan.assignments[1].task, TaskId(2)) << "50 s on the dear node cost 150e-5, 100 s there 300e-5";
  EXPECT_EQ(plan.account.form, ModelForm::greedy);
}

TEST(LipsPaper, AsksForEveryEpochAndAdaptsItToTheQueue) {
  PolicySettings settings = with_epoch(400);
  EXPECT_EQ(make_lips_paper(settings)->cadence().interval, std::chrono::seconds(400));
  EXPECT_EQ(adapted_epoch(std::chrono::seconds(400), CpuSeconds(0), CpuSeconds(10)), std::chrono::seconds(100));
  EXPECT_EQ(adapted_epoch(std::chrono::seconds(400), CpuSeconds(4000), CpuSeconds(10)), std::chrono::seconds(500));
  EXPECT_EQ(adapted_epoch(std::chrono::seconds(400), CpuSeconds(1e6), CpuSeconds(10)), std::chrono::seconds(1600));
  EXPECT_EQ(adapted_epoch(std::chrono::seconds(400), CpuSeconds(1), CpuSeconds(0)), std::chrono::seconds(1600));
  settings.paper.adaptive_epoch = AdaptiveEpoch::on;
  SmallCluster cluster(1, 0, 1e-5, 0);
  ClusterState state(cluster.start);
  state.apply(SmallCluster::job(10, 100, SmallCluster::no_input));
  const Plan plan = decided(*make_lips_paper(settings), state, cluster.costs);
  EXPECT_EQ(plan.replan_after, std::chrono::seconds(1250));
  EXPECT_EQ(plan.assignments.size(), 10U) << "all fit into the longer epoch";
}

TEST(LipsPaper, RoundsSharesUpToTheLeastTask) {
  SmallCluster cluster(1, 1, 1e-5, 2e-5);
  ClusterState state(cluster.start);
  state.apply(SmallCluster::job(9, 20, SmallCluster::no_input));
  PolicySettings settings = with_epoch(140);  // 7 tasks on the cheap node, 2 on the other
  EXPECT_EQ(tasks_by_node(decided(*make_lips_paper(settings), state, cluster.costs))[NodeId(1)], 2);
  settings.paper.least_task = CpuSeconds(60);
  EXPECT_EQ(tasks_by_node(decided(*make_lips_paper(settings), state, cluster.costs))[NodeId(1)], 3);
}

// Whole plans on random clusters.

simulation::SnapshotShape shape_of(std::uint64_t seed) {
  simulation::SnapshotShape shape = simulation::random_small_shape(seed);
  if (seed % 3 == 0) shape.share_of_jobs_sharing_data = 0.6;
  if (seed % 4 == 0) shape.load = 1.5;
  return shape;
}

TEST(LipsPaper, PlansWithinTheEpochsCapacity) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const simulation::SnapshotShape shape = shape_of(seed);
    const ClusterState state = simulation::random_cluster(shape);
    const CostModel costs = simulation::random_costs(shape);
    const ClusterSnapshot& cluster = state.snapshot();
    for (int epoch : {120, 600}) {
      const Plan plan = decided(*make_lips_paper(with_epoch(epoch)), state, costs);
      const paper::SnapshotInstance instance = paper::paper_instance(cluster, costs, std::chrono::seconds(epoch));
      std::map<NodeId, std::pair<double, double>> load;  // all, largest task
      for (const Assignment& assignment : plan.assignments) {
        auto& [sum, largest] = load[assignment.node];
        const double cpu = cluster.tasks[assignment.task].cpu.value();
        sum += cpu;
        largest = std::max(largest, cpu);
      }
      for (const auto& [node, taken] : load)
        EXPECT_LE(taken.first - taken.second, instance.capacity[node].value() + 1e-3)
            << "node " << node.index() << " would begin a task after the epoch";
    }
  }
}

// The bound holds for every plan that ends within the epoch; one whose last tasks overrun it may cost less.
TEST(LipsPaper, CostsAtLeastItsCertifiedBound) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const simulation::SnapshotShape shape = shape_of(seed);
    const ClusterState state = simulation::random_cluster(shape);
    const CostModel costs = simulation::random_costs(shape);
    const Plan plan = decided(*make_lips_paper(with_epoch(600)), state, costs);
    ASSERT_TRUE(plan.account.lower_bound);
    auto left = paper::paper_instance(state.snapshot(), costs, std::chrono::seconds(600)).capacity;
    for (const Assignment& assignment : plan.assignments)
      left[assignment.node] -= state.snapshot().tasks[assignment.task].cpu;
    if (std::any_of(left.begin(), left.end(), [](CpuSeconds room) { return room.value() < -1e-6; })) continue;
    ++compared;
    EXPECT_GE(plan.account.objective->value(), plan.account.lower_bound->value() * (1 - 1e-9));
    EXPECT_NEAR(plan.account.objective->value(), (plan.account.dollars() + plan.account.waiting).value(), 1e-12);
  }
  EXPECT_GT(compared, 50) << "too few plans stay within the epoch to say anything";
}

TEST(LipsPaper, SolvesClassesOfNodesToTheSameOptimumAsEachNode) {
  int copied = 0, waited = 0, narrow = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    simulation::SnapshotShape shape = shape_of(seed);
    shape.nodes = std::min(shape.nodes, 14U);
    shape.tasks = std::min(shape.tasks, 60U);
    const ClusterState state = simulation::random_cluster(shape);
    const CostModel costs = simulation::random_costs(shape);
    ClusterSnapshot cluster = state.snapshot();
    if (seed % 5 == 0) cluster.network.zone_link = MebibytesPerSecond(0.2);
    paper::Options whole;
    whole.reduce = false;
    const auto nodes = paper::paper_instance(cluster, costs, std::chrono::seconds(300), Granularity::nodes);
    const auto classes = paper::paper_instance(cluster, costs, std::chrono::seconds(300), Granularity::classes);
    const Result<paper::Solution> by_node = paper::solve(nodes.instance, whole);
    const Result<paper::Solution> by_class = paper::solve(classes.instance);
    ASSERT_TRUE(by_node && by_class);
    EXPECT_NEAR(by_class->objective.value(), by_node->objective.value(), 1e-7 * by_node->objective.value() + 1e-12);
    paper::Options unpooled;
    unpooled.pool = false;
    const Result<paper::Solution> one_by_one = paper::solve(classes.instance, unpooled);
    ASSERT_TRUE(one_by_one);
    EXPECT_NEAR(one_by_one->objective.value(), by_node->objective.value(), 1e-7 * by_node->objective.value() + 1e-12);
    paper::Options no_links;
    no_links.transfer = paper::TransferLimit::none;
    narrow += paper::solve(classes.instance, no_links)->objective < by_class->objective * (1 - 1e-6);
    copied += !by_class->moves.empty();
    waited += by_class->overflow.value() > 0;
  }
  EXPECT_GT(copied, 0) << "no instance copied anything: nothing was tested";
  EXPECT_GT(waited, 0);
  EXPECT_GT(narrow, 0) << "no link ever bound";
}

TEST(LipsPaper, PlansTheSameFromTheSameSnapshot) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const simulation::SnapshotShape shape = shape_of(seed);
    const ClusterState state = simulation::random_cluster(shape);
    const CostModel costs = simulation::random_costs(shape);
    for (const char* name : {"lips-paper", "lips-offline", "lips-offline-simple"}) {
      const std::unique_ptr<Policy> policy = *make_policy(name, {});
      const Plan one = decided(*policy, state, costs), two = decided(*policy, state, costs);
      EXPECT_EQ(one.assignments, two.assignments);
      EXPECT_EQ(one.moves, two.moves);
    }
  }
}

TEST(LipsPaper, AnswersWithinOneWaveWhenTheEpochIsZero) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const simulation::SnapshotShape shape = shape_of(seed);
    const ClusterState state = simulation::random_cluster(shape);
    const Plan plan = decided(*make_lips_paper(with_epoch(0)), state, simulation::random_costs(shape));
    EXPECT_THAT(validate_single_wave(state.snapshot(), plan), IsEmpty());
  }
}

}  // namespace
}  // namespace lips
