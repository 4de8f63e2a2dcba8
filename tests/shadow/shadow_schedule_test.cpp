#include "shadow/shadow_schedule.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
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
  WatchedCluster watched{ClusterState(empty_cluster(cores)), uniform_costs(2, UsdPerMebibyte(1e-5)), {}};
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
    watched.pods.push_back(
        {pod.id, "space", pod.id, NodeId(static_cast<std::uint32_t>(pod.on)), true, false, step == pod.ends, pod.ran});
  }
  return watched;
}

std::map<std::string, WatchedEnd> run(const std::vector<int>& cores, const std::vector<Given>& pods, int steps,
                                      const ShadowRules& rules = {}) {
  ShadowSchedule schedule;
  std::map<std::string, WatchedEnd> ends;
  for (int step = 0; step < steps; ++step)
    for (const WatchedEnd& end : schedule.step(at(cores, pods, step), rules)) {
      EXPECT_FALSE(ends.contains(end.job)) << "each pod ends once";
      ends[end.job] = end;
    }
  EXPECT_EQ(schedule.kept(), 0u);
  return ends;
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
    const WatchedEnd& end = ends.at(pod.id);
    EXPECT_NEAR(end.actual.elastic.value(), core_hour(pod.on) * pod.cores * to_hours(pod.ran), 1e-9);
    if (end.outcome != WatchOutcome::compared) {
      EXPECT_EQ(end.planned.elastic, end.actual.elastic);
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
    EXPECT_EQ(end.planned.elastic, other.at(id).planned.elastic) << "seed " << GetParam() << ", " << id;
    EXPECT_EQ(end.planned_wait, other.at(id).planned_wait);
  }
  EXPECT_GT(compared, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomShadow, testing::Range<std::uint64_t>(1, 9));

TEST(ShadowSchedule, ComparesAPodThatCameAndWentBetweenTwoSteps) {
  const Given pod{"short", 1, 1, 1, 1, std::chrono::hours(1)};
  const WatchedEnd end = run({4, 4}, {pod}, 3).at("short");
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
  EXPECT_EQ(ends.at("second").planned.elastic, ends.at("second").actual.elastic);
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
    WatchedCluster watched{ClusterState(start), uniform_costs(2, UsdPerMebibyte(1e-5)), {}};
    watched.state.advance(TimePoint(std::chrono::seconds(ended ? 2000 : 1000)));
    JobArrived job;
    job.job.name = "large", job.job.pool = PoolId(0), job.job.constraint = ConstraintId(0), job.job.map_tasks = 1;
    job.job.request = {Cores(4), Mebibytes(1), 1};
    Task task;
    task.cpu = CpuSeconds(4000);
    job.tasks = {task};
    watched.state.apply(job);
    watched.pods.push_back({"large", "space", "large", NodeId(0), true, false, ended, Duration(std::chrono::hours(1))});
    return watched;
  };
  ShadowSchedule schedule;
  EXPECT_THAT(schedule.step(step(false), {}), testing::IsEmpty());
  const std::vector<WatchedEnd> ends = schedule.step(step(true), {});
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].outcome, WatchOutcome::compared);
  EXPECT_DOUBLE_EQ(ends[0].planned.elastic.value(), 0.4);
}

}  // namespace
}  // namespace lips
