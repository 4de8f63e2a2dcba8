#include "model/own_targets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"

namespace lips {
namespace {

constexpr TimePoint now = TimePoint(std::chrono::hours(1000));

// A node of ten cores; a job of three tasks of ten minutes on a core, one of which runs and ends in half an hour, and
// two wait.
ClusterSnapshot cluster_with_a_job() {
  ClusterSnapshot cluster;
  cluster.now = now;
  Node node;
  node.capacity = {Cores(10), Mebibytes(0), 10};
  node.speed = 1, node.schedulable = true, node.profile = ProfileId(0);
  cluster.profiles.push_back({}), cluster.nodes.push_back(node), cluster.free.push_back(node.capacity);
  cluster.pools.push_back(Pool{});
  cluster.pools[PoolId(0)].name = "etl";
  Job job;
  job.name = "etl/nightly", job.pool = PoolId(0), job.arrival = now - std::chrono::minutes(40);
  job.request.cpu = Cores(1);
  job.map_tasks = 3, job.running = 1, job.pending = 2;
  job.work = CpuSeconds(3 * 600), job.pending_work = CpuSeconds(2 * 600);
  cluster.jobs.push_back(job);
  TaskGroup group;
  group.cpu = CpuSeconds(600), group.count = 2;
  cluster.groups.push_back({group});
  cluster.running.push_back({TaskId(0), JobId(0), NodeId(0), now + std::chrono::minutes(30)});
  return cluster;
}

OwnTargetReport reported(OwnTargetKind kind, const ClusterSnapshot& cluster, const JobProgress& seen) {
  Deadlines deadlines(cluster);
  const std::optional<OwnTargetReport> report = report_of(kind, cluster, JobId(0), seen, deadlines);
  EXPECT_TRUE(report);
  return report.value_or(OwnTargetReport{});
}

TEST(OwnTargets, OfADeadlineSayWhetherTheJobCanBeDoneBeforeIt) {
  ClusterSnapshot cluster = cluster_with_a_job();
  const auto state = [&](Duration left) {
    cluster.jobs[JobId(0)].due.complete_by = now + left;
    const OwnTargetReport report = reported(OwnTargetKind::complete_by, cluster, {2, now, {}});
    EXPECT_EQ(report.target, left);
    EXPECT_EQ(report.forecast, seconds(1800));  // the task that runs; the others take 600 s
    return report.state;
  };
  EXPECT_EQ(state(std::chrono::hours(1)), OwnTargetState::held);
  EXPECT_EQ(state(std::chrono::minutes(35)), OwnTargetState::behind);
  EXPECT_EQ(state(std::chrono::minutes(29)), OwnTargetState::cannot);
  EXPECT_EQ(state(-seconds(1)), OwnTargetState::missed);
}

// A job alone, its tasks one after the other on whichever core of the nodes is free first: it takes no less than was
// said of it before it began.
TEST(OwnTargets, OfADeadlineNeverSayThatAJobTakesLongerThanItDoes) {
  double closest = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    ClusterSnapshot cluster = cluster_with_a_job();
    cluster.running.clear();
    Job& job = cluster.jobs[JobId(0)];
    job.running = 0, job.work = {}, cluster.groups[JobId(0)].clear();
    std::vector<std::pair<double, double>> cores;  // free from, speed
    cluster.nodes = {}, cluster.free = {};
    for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
      Node node;
      node.capacity = {Cores(static_cast<double>(1 + random.below(4))), Mebibytes(0), 10};
      node.speed = random.uniform(0.5, 2), node.schedulable = true, node.profile = ProfileId(0);
      cores.insert(cores.end(), static_cast<std::size_t>(node.capacity.cpu.value()), {0.0, node.speed});
      cluster.nodes.push_back(node), cluster.free.push_back(node.capacity);
    }
    double end = 0;
    for (std::uint64_t k = job.map_tasks = job.pending = static_cast<std::uint32_t>(1 + random.below(20)); k > 0; --k) {
      TaskGroup group;
      group.cpu = CpuSeconds(random.uniform(1, 1000)), group.count = 1;
      cluster.groups[JobId(0)].push_back(group);
      job.work += group.cpu;
      auto& [free_from, speed] = *std::min_element(cores.begin(), cores.end());
      free_from += group.cpu.value() / speed;
      end = std::max(end, free_from);
    }
    job.pending_work = job.work;
    job.due.complete_by = now + seconds(end);
    const OwnTargetReport report = reported(OwnTargetKind::complete_by, cluster, {job.map_tasks, {}, {}});
    EXPECT_NE(report.state, OwnTargetState::cannot) << "seed " << seed;
    closest = std::max(closest, to_seconds(report.forecast) / end);
  }
  EXPECT_GT(closest, 0.95);
}

TEST(OwnTargets, OfADeadlineCountTheLongestTaskAndAllWorkOnAllNodes) {
  ClusterSnapshot cluster = cluster_with_a_job();
  cluster.running.clear();
  cluster.jobs[JobId(0)].due.complete_by = now + std::chrono::hours(1);
  const auto forecast = [&] { return reported(OwnTargetKind::complete_by, cluster, {2, now, {}}).forecast; };
  EXPECT_EQ(forecast(), seconds(600));
  cluster.nodes[NodeId(0)].capacity.cpu = Cores(1);
  EXPECT_EQ(forecast(), seconds(2 * 600)) << "the third has started";
}

TEST(OwnTargets, OfAWaitAreMissedOnceATaskHasWaitedForLonger) {
  ClusterSnapshot cluster = cluster_with_a_job();
  const auto report = [&](Duration most, const JobProgress& seen) {
    cluster.jobs[JobId(0)].due.start_by = cluster.jobs[JobId(0)].arrival + most;
    return reported(OwnTargetKind::max_wait, cluster, seen);
  };
  const TimePoint early = now - std::chrono::minutes(35), late = now - std::chrono::minutes(5);
  EXPECT_EQ(report(std::chrono::hours(2), {2, early, {}}).state, OwnTargetState::held);
  EXPECT_EQ(report(std::chrono::minutes(45), {2, early, {}}).state, OwnTargetState::behind);
  EXPECT_EQ(report(std::chrono::minutes(45), {2, early, {}}).forecast, Duration(std::chrono::minutes(40)));
  EXPECT_EQ(report(std::chrono::minutes(39), {2, early, {}}).state, OwnTargetState::missed);
  EXPECT_EQ(report(std::chrono::minutes(30), {0, late, {}}).state, OwnTargetState::missed);
  EXPECT_EQ(report(std::chrono::minutes(30), {0, late, {}}).forecast, Duration(std::chrono::minutes(35)));
  EXPECT_EQ(report(std::chrono::minutes(36), {0, late, {}}).state, OwnTargetState::held);  // all have started
}

TEST(OwnTargets, OfAWaitSayThatTheLastTaskCannotStartInTime) {
  ClusterSnapshot cluster = cluster_with_a_job();  // of the two that wait
  cluster.free[NodeId(0)] = Resources{Cores(0), Mebibytes(0), 0};
  const auto report = [&](Duration left) {
    cluster.jobs[JobId(0)].due.start_by = now + left;
    return reported(OwnTargetKind::max_wait, cluster, {2, now, {}});
  };
  EXPECT_EQ(report(std::chrono::minutes(61)).state, OwnTargetState::held);
  EXPECT_NEAR(to_seconds(report(std::chrono::minutes(61)).forecast), 80 * 60, 0.01) << "40 minutes have passed";
  EXPECT_EQ(report(std::chrono::minutes(59)).state, OwnTargetState::behind);
  EXPECT_EQ(report(std::chrono::minutes(41)).state, OwnTargetState::behind);
  EXPECT_EQ(report(std::chrono::minutes(39)).state, OwnTargetState::cannot);
  EXPECT_EQ(Deadlines(cluster).of_start(JobId(0))->left, Duration(std::chrono::minutes(39)));
  EXPECT_EQ(Deadlines(cluster).of_start(JobId(0))->state(), OwnTargetState::cannot);
  cluster.running.clear();
  EXPECT_EQ(report(std::chrono::hours(1000)).forecast, longest_span + std::chrono::minutes(40));
  EXPECT_EQ(report(std::chrono::hours(1000)).state, OwnTargetState::cannot);
}

TEST(OwnTargets, OfAJobWithoutThemAreNone) {
  const ClusterSnapshot cluster = cluster_with_a_job();
  Deadlines deadlines(cluster);
  for (const OwnTargetKind kind : enumerators<OwnTargetKind>)
    EXPECT_FALSE(report_of(kind, cluster, JobId(0), {2, now, {}}, deadlines));
  EXPECT_FALSE(deadlines.of(JobId(0)));
  EXPECT_FALSE(deadlines.of_start(JobId(0)));
}

TEST(OwnTargets, OfAJobThatIsDoneAreAsOfItsEnd) {
  const JobDue due{now, now};
  EXPECT_EQ(beyond(OwnTargetKind::complete_by, due, {0, now, now + seconds(5)}, now + seconds(60)), seconds(5));
  EXPECT_EQ(beyond(OwnTargetKind::max_wait, due, {0, now - seconds(5), now}, now + seconds(60)), seconds(-5));
}

TEST(OwnTargets, AreInOrderOfHowBadTheyAreThenOfByHowMuch) {
  const auto of = [](OwnTargetState state, int minutes, const char* job) {
    return OwnTargetReport{"etl", job, OwnTargetKind::complete_by, {}, std::chrono::minutes(minutes), state};
  };
  EXPECT_TRUE(is_worse(of(OwnTargetState::missed, 1, "b"), of(OwnTargetState::cannot, 9, "a")));
  EXPECT_TRUE(is_worse(of(OwnTargetState::missed, 2, "b"), of(OwnTargetState::missed, 1, "a")));
  EXPECT_TRUE(is_worse(of(OwnTargetState::missed, 1, "a"), of(OwnTargetState::missed, 1, "b")));
}

}  // namespace
}  // namespace lips
