#include "shadow/shadow_schedule.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "base/random.h"

namespace lips {
namespace {

struct Given {
  std::string id;
  int cores = 1, arrives = 0, ends = 0;  // in steps
  int on = 0;                            // its own scheduler's node
  Duration ran{};
};

// A node's price of a core-hour is its own, so that dollars say where a pod was.
double core_hour(int node) { return 0.01 * (node + 1); }

ClusterSnapshot empty_cluster(const std::vector<int>& cores) {
  ClusterSnapshot cluster;
  cluster.zones.push_back({"a"}), cluster.zones.push_back({"b"});
  cluster.profiles.push_back({}), cluster.constraints.push_back({}), cluster.pools.push_back({"batch", 1, {}, {}, {}});
  for (std::size_t i = 0; i < cores.size(); ++i) {
    Node node;
    node.name = fmt::format("node-{}", i), node.zone = ZoneId(i % 2), node.profile = ProfileId(0);
    node.capacity = {Cores(cores[i]), Mebibytes(1 << 20), 100};
    node.price = UsdPerHour(core_hour(static_cast<int>(i)) * cores[i]);
    node.fleet = FleetKind::elastic;
    cluster.nodes.push_back(node);
  }
  return cluster;
}

// The pods that are there at that step, each a job of its own.
WatchedCluster at(const std::vector<int>& cores, const std::vector<Given>& pods, int step) {
  WatchedCluster watched{ClusterState(empty_cluster(cores)), uniform_costs(2, UsdPerMebibyte(1e-5)), {}, {}};
  watched.state.advance(TimePoint(std::chrono::seconds(1000 + 10 * step)));
  for (const Given& pod : pods) {
    if (step < pod.arrives || step > pod.ends) continue;
    JobArrived job;
    job.job.name = pod.id, job.job.pool = PoolId(0), job.job.constraint = ConstraintId(0), job.job.map_tasks = 1;
    job.job.request = {Cores(pod.cores), Mebibytes(1), 1};
    job.job.arrival = TimePoint(std::chrono::seconds(1000 + 10 * pod.arrives));
    Task task;
    task.cpu = CpuSeconds(600.0 * pod.cores);
    job.tasks = {task};
    watched.state.apply(job);
    watched.jobs.push_back({"space", pod.id, pod.id});
    watched.pods.push_back(
        {pod.id, NodeId(static_cast<std::uint32_t>(pod.on)), true, false, step == pod.ends, pod.ran * step / pod.ends});
  }
  return watched;
}

struct Ended : WatchedSum {
  WatchOutcome outcome = WatchOutcome::not_planned;
};

std::map<std::string, Ended> run(const std::vector<int>& cores, const std::vector<Given>& pods, int steps,
                                 const ShadowRules& rules = {}) {
  ShadowSchedule schedule;
  std::map<std::string, Ended> sums;
  for (int step = 0; step < steps; ++step)
    for (const WatchedChange& change : schedule.step(at(cores, pods, step), rules)) {
      Ended& sum = sums[change.job];
      sum.running = 0;
      sum += change.more;
      for (const WatchOutcome outcome : enumerators<WatchOutcome>)
        if (sum.pods[outcome] > 0) sum.outcome = outcome;
    }
  for (const auto& [job, sum] : sums) {
    EXPECT_EQ(std::accumulate(sum.pods.begin(), sum.pods.end(), std::uint64_t{0}), 1u) << "each pod ends once";
    EXPECT_EQ(sum.running, 0u);
  }
  EXPECT_EQ(schedule.kept(), 0u);
  return sums;
}

int node_of(const WatchedDollars& dollars, const Given& pod) {
  const double hours = to_hours(pod.ran);
  return static_cast<int>(std::lround(dollars.elastic.value() / hours / pod.cores / 0.01)) - 1;
}

constexpr int steps = 40;

struct Random40 {
  std::vector<int> cores;
  std::vector<Given> pods;
};
Random40 random_case(Random& random) {
  Random40 result;
  for (int i = 0; i < 6; ++i) result.cores.push_back(1 + static_cast<int>(random.below(8)));
  for (int i = 0; i < 60; ++i) {
    Given pod{fmt::format("pod-{}", i)};
    pod.cores = 1 + static_cast<int>(random.below(3));
    pod.arrives = static_cast<int>(random.below(steps - 1));
    pod.ends = std::min(steps - 1, pod.arrives + 1 + static_cast<int>(random.below(10)));
    pod.on = static_cast<int>(random.below(6));
    pod.ran = std::chrono::seconds(1 + random.below(5000));
    result.pods.push_back(pod);
  }
  return result;
}

class RandomShadow : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomShadow, NeverPutsMoreOnANodeThanFits) {
  Random random(GetParam());
  const auto [cores, pods] = random_case(random);
  const auto ends = run(cores, pods, steps);
  ASSERT_EQ(ends.size(), pods.size());
  std::vector<std::vector<int>> used(cores.size(), std::vector<int>(steps, 0));
  std::size_t compared = 0;
  for (const Given& pod : pods) {
    const Ended& end = ends.at(pod.id);
    EXPECT_NEAR(end.actual.elastic.value(), core_hour(pod.on) * pod.cores * to_hours(pod.ran), 1e-9);
    if (end.outcome != WatchOutcome::compared) {
      EXPECT_NEAR(end.planned.elastic.value(), end.actual.elastic.value(), 1e-9);
      continue;
    }
    ++compared;
    const int from = pod.arrives + static_cast<int>(to_seconds(end.planned_wait) / 10);
    const int node = node_of(end.planned, pod);
    ASSERT_TRUE(node >= 0 && node < 6) << pod.id;
    for (int step = from; step < pod.ends; ++step)
      used[static_cast<std::size_t>(node)][static_cast<std::size_t>(step)] += pod.cores;
  }
  EXPECT_GT(compared, pods.size() / 2);
  for (std::size_t node = 0; node < cores.size(); ++node)
    for (int step = 0; step < steps; ++step)
      EXPECT_LE(used[node][static_cast<std::size_t>(step)], cores[node])
          << "seed " << GetParam() << ", node " << node << ", step " << step;
}

// Where the other scheduler put the pods says nothing about where the plan would have put them.
TEST_P(RandomShadow, PlansTheSameWhateverTheOtherSchedulerDid) {
  Random random(GetParam());
  const auto [cores, pods] = random_case(random);
  std::vector<Given> elsewhere = pods;
  for (Given& pod : elsewhere) pod.on = static_cast<int>(random.below(6));
  const auto ends = run(cores, pods, steps), other = run(cores, elsewhere, steps);
  std::size_t compared = 0;
  for (const auto& [id, end] : ends) {
    EXPECT_EQ(end.outcome, other.at(id).outcome);
    if (end.outcome != WatchOutcome::compared) continue;
    ++compared;
    EXPECT_NEAR(end.planned.elastic.value(), other.at(id).planned.elastic.value(), 1e-9)
        << "seed " << GetParam() << ", " << id;
    EXPECT_EQ(end.planned_wait, other.at(id).planned_wait);
  }
  EXPECT_GT(compared, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomShadow, testing::Range<std::uint64_t>(1, 9));

TEST(ShadowSchedule, ComparesAPodThatCameAndWentBetweenTwoSteps) {
  const Given pod{"short", 1, 1, 1, 1, std::chrono::hours(1)};
  const Ended end = run({4, 4}, {pod}, 3).at("short");
  EXPECT_EQ(end.outcome, WatchOutcome::compared);
  EXPECT_DOUBLE_EQ(end.actual.elastic.value(), 0.02);
  EXPECT_DOUBLE_EQ(end.planned.elastic.value(), 0.01);
}

// The first pod fills the one node until its end. The second ran beside it, where its own scheduler found room.
TEST(ShadowSchedule, SavesNothingOnAPodThatWouldHaveWaitedForLongerThanItRan) {
  const std::vector<Given> pods{{"first", 4, 0, 9, 0, std::chrono::hours(1)},
                                {"second", 4, 1, 5, 0, std::chrono::hours(1)}};
  const auto ends = run({4}, pods, 12);
  EXPECT_EQ(ends.at("first").outcome, WatchOutcome::compared);
  EXPECT_EQ(ends.at("second").outcome, WatchOutcome::would_wait);
  EXPECT_DOUBLE_EQ(ends.at("second").planned.elastic.value(), ends.at("second").actual.elastic.value());
}

TEST(ShadowSchedule, SaysWhatItDidNotPlan) {
  const Given pod{"p", 1, 0, 2, 1, std::chrono::hours(1)};
  ShadowRules rules;
  rules.most_tasks = 0;
  EXPECT_EQ(run({4, 4}, {pod}, 4, rules).at("p").outcome, WatchOutcome::not_planned);
  rules = {};
  rules.policy = "no such policy";
  EXPECT_EQ(run({4, 4}, {pod}, 4, rules).at("p").outcome, WatchOutcome::not_planned);
}

// Nothing is there but an offer: the plan asks for a node, and the pod is priced as if it ran on it.
TEST(ShadowSchedule, PricesAPodForWhichThePlanAsksForANodeAtTheOffersPrice) {
  ClusterSnapshot start = empty_cluster({1});
  Node like = start.nodes[NodeId(0)];
  like.name = "offer/large", like.capacity = {Cores(4), Mebibytes(1 << 20), 100}, like.price = UsdPerHour(0.4);
  like.schedulable = false;
  start.offers.push_back({start.nodes.push_back(like), 10, std::chrono::seconds(30), std::chrono::seconds(30), 0});
  start.nodes[NodeId(0)].schedulable = false;
  const auto step = [&](bool ended) {
    WatchedCluster watched{ClusterState(start), uniform_costs(2, UsdPerMebibyte(1e-5)), {}, {}};
    watched.state.advance(TimePoint(std::chrono::seconds(ended ? 2000 : 1000)));
    JobArrived job;
    job.job.name = "large", job.job.pool = PoolId(0), job.job.constraint = ConstraintId(0), job.job.map_tasks = 1;
    job.job.request = {Cores(4), Mebibytes(1), 1};
    Task task;
    task.cpu = CpuSeconds(4000);
    job.tasks = {task};
    watched.state.apply(job);
    watched.jobs.push_back({"space", "large", "large"});
    watched.pods.push_back({"large", NodeId(0), true, false, ended, Duration(std::chrono::hours(ended ? 1 : 0))});
    return watched;
  };
  ShadowSchedule schedule;
  schedule.step(step(false), {});
  const std::vector<WatchedChange> changes = schedule.step(step(true), {});
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].more.pods[WatchOutcome::compared], 1u);
  EXPECT_DOUBLE_EQ(changes[0].more.planned.elastic.value(), 0.4);
}

// Sums after each step, so that what a pod costs before it ends is seen.
std::vector<WatchedSum> step_by_step(const std::vector<int>& cores, const Given& pod, bool found = false) {
  ShadowSchedule schedule;
  WatchedSum sum;
  std::vector<WatchedSum> sums;
  for (int step = 0; step <= pod.ends; ++step) {
    WatchedCluster watched = at(cores, {pod}, step);
    for (WatchedPod& each : watched.pods) each.found = found;
    sum.running = 0;
    for (const WatchedChange& change : schedule.step(std::move(watched), {})) sum += change.more;
    sums.push_back(sum);
  }
  return sums;
}

TEST(ShadowSchedule, CountsARunningPodUpToNow) {
  const auto sums = step_by_step({4, 4}, {"p", 1, 0, 10, 1, std::chrono::hours(10)});
  for (std::size_t step = 0; step < sums.size(); ++step) {
    const double hours = static_cast<double>(step);
    EXPECT_NEAR(sums[step].actual.elastic.value(), 0.02 * hours, 1e-9);
    EXPECT_NEAR(sums[step].planned.elastic.value(), 0.01 * hours, 1e-9);
    EXPECT_EQ(sums[step].running, step < 10 ? 1u : 0u);
    EXPECT_EQ(sums[step].pods[WatchOutcome::compared], step < 10 ? 0u : 1u);
  }
}

TEST(ShadowSchedule, CountsAPodThatItFoundFromThenOn) {
  const Given pod{"p", 1, 5, 10, 1, std::chrono::hours(10)};
  const auto sums = step_by_step({4, 4}, pod, true);
  EXPECT_EQ(sums[5].actual.elastic.value(), 0) << "the five hours before were another's to count";
  EXPECT_NEAR(sums[10].actual.elastic.value(), 0.02 * 5, 1e-9);
  EXPECT_NEAR(sums[10].planned.elastic.value(), 0.02 * 5, 1e-9);
}

// Another replica has led, and counted, from the fifth hour to the eighth.
TEST(ShadowSchedule, LeavesTheTimeInWhichAnotherCountedToThat) {
  const Given pod{"p", 1, 0, 10, 1, std::chrono::hours(10)};
  ShadowSchedule schedule;
  WatchedSum sum;
  for (const int step : {0, 2, 5, 8, 10}) {
    WatchedCluster watched = at({4, 4}, {pod}, step);
    watched.anew = step == 8, watched.pods[TaskId(0)].found = step >= 8;
    for (const WatchedChange& change : schedule.step(std::move(watched), {})) sum += change.more;
  }
  EXPECT_NEAR(sum.actual.elastic.value(), 0.02 * 7, 1e-9);
  EXPECT_NEAR(sum.planned.elastic.value(), 0.01 * 5 + 0.02 * 2, 1e-9);
  EXPECT_EQ(sum.pods[WatchOutcome::found], 1u);
}

// The pod reads a block of zone a, and its own scheduler has put it in zone b.
TEST(ShadowSchedule, CountsAsMuchOfARunningPodsReadAsItsTimeIsOfWhatWasExpected) {
  const Given pod{"p", 1, 0, 10, 1, std::chrono::seconds(6000)};  // expected: 600 s
  ShadowSchedule schedule;
  WatchedSum sum;
  std::vector<double> read;
  for (int step = 0; step <= 10; ++step) {
    ClusterSnapshot start = empty_cluster({4, 4});
    DataStore store;
    store.name = "s", store.zone = ZoneId(0);
    start.stores.push_back(store);
    start.data_sets.push_back({"d", BlockId(0), 1, Mebibytes(100), {}});
    Block block;
    block.data_set = DataSetId(0), block.size = Mebibytes(100);
    block.zones.insert(ZoneId(0));
    block.replicas.push_back({StoreId(0), 0});
    start.blocks.push_back(block);
    WatchedCluster watched{ClusterState(std::move(start)), uniform_costs(2, UsdPerMebibyte(0.01)), {}, {}};
    watched.state.advance(TimePoint(std::chrono::seconds(1000 + 10 * step)));
    JobArrived job;
    job.job.name = "p", job.job.pool = PoolId(0), job.job.constraint = ConstraintId(0), job.job.map_tasks = 1;
    job.job.request = {Cores(1), Mebibytes(1), 1};
    Task task;
    task.cpu = CpuSeconds(600), task.block = BlockId(0), task.input = Mebibytes(100);
    job.tasks = {task};
    watched.state.apply(job);
    watched.jobs.push_back({"space", "p", "p"});
    watched.pods.push_back({"p", NodeId(1), true, false, step == 10, std::chrono::seconds(60 * step)});
    for (const WatchedChange& change : schedule.step(std::move(watched), {})) sum += change.more;
    read.push_back(sum.actual.transfer.value());
  }
  for (std::size_t step = 0; step < read.size(); ++step) EXPECT_NEAR(read[step], 0.1 * static_cast<double>(step), 1e-9);
  EXPECT_EQ(sum.planned.transfer.value(), 0) << "the plan puts it where its block is";
}

// A map ran in the dear zone b, where its scheduler had put it, and the plan has it in zone a. Then a reduce comes,
// when zone b is a little cheaper than a, but not by as much as the output of the map costs across zones.
TEST(ShadowSchedule, PutsReducesWhereThePlanHasTheMaps) {
  ShadowSchedule schedule;
  WatchedSum sum;
  for (int step = 0; step < 4; ++step) {
    const bool reduces = step >= 2;
    ClusterSnapshot start = empty_cluster({4, 4});
    start.nodes[NodeId(0)].price = UsdPerHour(0.04), start.nodes[NodeId(1)].price = UsdPerHour(reduces ? 0.036 : 0.4);
    WatchedCluster watched{ClusterState(std::move(start)), uniform_costs(2, UsdPerMebibyte(1e-5)), {}, {}};
    watched.state.advance(TimePoint(std::chrono::seconds(1000 + 10 * step)));
    JobArrived job;
    job.job.name = reduces ? "reduce" : "map", job.job.pool = PoolId(0), job.job.constraint = ConstraintId(0);
    (reduces ? job.job.reduce_tasks : job.job.map_tasks) = 1;
    job.job.request = {Cores(4), Mebibytes(1), 1}, job.job.shuffle = Mebibytes(10'000);
    job.job.whole.id = WholeJobId(0), job.job.whole.maps = job.job.whole.reduces = 1;
    job.maps_before = {0, reduces ? 1u : 0u};
    Task task;
    task.cpu = CpuSeconds(2400), task.kind = reduces ? TaskKind::reduce : TaskKind::map;
    job.tasks = {task};
    watched.state.apply(job);
    watched.jobs.push_back({"space", "sort", "job/space/sort"});
    const bool ended = step % 2 == 1;
    watched.pods.push_back({job.job.name, NodeId(1), true, false, ended, std::chrono::hours(ended ? 1 : 0)});
    for (const WatchedChange& change : schedule.step(std::move(watched), {})) sum += change.more;
  }
  EXPECT_EQ(sum.pods[WatchOutcome::compared], 2u);
  EXPECT_NEAR(sum.planned.elastic.value(), 0.04 + 0.04, 1e-9);
  EXPECT_EQ(sum.actual.shuffle.value(), 0) << "both ran in zone b";
  EXPECT_EQ(sum.planned.shuffle.value(), 0);
}

// Two peers whose scheduler spread them; the plan has both in the cheap zone.
TEST(ShadowSchedule, CountsWhatPeersExchangeAcrossZones) {
  ShadowSchedule schedule;
  std::vector<WatchedSum> sums;
  WatchedSum sum;
  for (int step = 0; step < 3; ++step) {
    WatchedCluster watched{ClusterState(empty_cluster({4, 4})), uniform_costs(2, UsdPerMebibyte(0.01)), {}, {}};
    watched.state.advance(TimePoint(std::chrono::seconds(1000 + 300 * step)));
    JobArrived job;
    job.job.name = "spark", job.job.pool = PoolId(0), job.job.constraint = ConstraintId(0), job.job.map_tasks = 2;
    job.job.request = {Cores(1), Mebibytes(1), 1}, job.job.shuffle = Mebibytes(1000);
    job.job.whole.id = WholeJobId(0), job.job.whole.maps = job.job.whole.expected = 2, job.job.whole.peers = true;
    Task task;
    task.cpu = CpuSeconds(600);
    job.tasks = {task, task};
    watched.state.apply(job);
    watched.jobs.push_back({"space", "spark", "job/space/spark"});
    for (const std::uint32_t node : {0u, 1u})
      watched.pods.push_back(
          {"peer-" + std::to_string(node), NodeId(node), true, false, step == 2, std::chrono::seconds(300 * step)});
    for (const WatchedChange& change : schedule.step(std::move(watched), {})) sum += change.more;
    sums.push_back(sum);
  }
  EXPECT_EQ(sums[0].actual.shuffle.value(), 0);
  EXPECT_NEAR(sums[1].actual.shuffle.value(), 0.01 * 500 / 2, 1e-9) << "half of what was expected is done";
  EXPECT_NEAR(sums[2].actual.shuffle.value(), 0.01 * 1000 / 2, 1e-9);
  EXPECT_EQ(sums[2].planned.shuffle.value(), 0);
  EXPECT_EQ(sums[2].pods[WatchOutcome::compared], 2u);
}

}  // namespace
}  // namespace lips
