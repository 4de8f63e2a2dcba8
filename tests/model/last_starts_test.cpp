#include "model/last_starts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"
#include "tests/policies/elastic_builder.h"

namespace lips {
namespace {

using testing::ElasticBuilder;

constexpr double never = std::numeric_limits<double>::infinity();

struct LastStartsTest : ::testing::Test {
  ElasticBuilder builder;
  std::optional<ClusterState> state;

  const ClusterSnapshot& cluster() { return state->snapshot(); }
  JobId arrive(const testing::JobSpec& spec) {
    if (!state) state.emplace(builder.start);
    state->apply(testing::job(cluster(), spec));
    return JobId(static_cast<std::uint32_t>(cluster().jobs.size() - 1));
  }
  // Tasks of a job of their own that run there from now on.
  void run(NodeId node, int tasks, double seconds) {
    const JobId job = arrive({.maps = tasks, .cpu = seconds});
    for (int i = 0; i < tasks; ++i) {
      const TaskId task(static_cast<std::uint32_t>(cluster().jobs[job].first_task.index() + i));
      ASSERT_TRUE(state->assume({task, node, {}, {}}));
      state->apply(TaskStarted{task, node});
    }
  }
  LastStarts::Last last(JobId job) { return LastStarts(cluster()).of(job, cluster().jobs[job].pending); }
};

TEST_F(LastStartsTest, AreNowWhereAllTasksHaveRoom) {
  builder.node({.slots = 2, .cpu = 2, .speed = 2});
  const JobId job = arrive({.maps = 2, .cpu = 10});
  EXPECT_EQ(last(job).start, 0);
  EXPECT_EQ(last(job).end, 5);
}

TEST_F(LastStartsTest, AreAfterAllButTheTasksThatRunTogetherHaveBeenDone) {
  builder.node({.slots = 3, .cpu = 3});
  EXPECT_NEAR(last(arrive({.maps = 7, .cpu = 60})).start, 120, 1e-3);
  EXPECT_NEAR(last(arrive({.maps = 6, .cpu = 60})).start, 60, 1e-3);
}

TEST_F(LastStartsTest, WaitForTheEndsOfTasksThatRun) {
  const NodeId first = builder.node({.slots = 2, .cpu = 2}), second = builder.node({.slots = 2, .cpu = 2});
  run(first, 1, 30), run(first, 1, 50), run(second, 2, 100);
  EXPECT_EQ(last(arrive({.maps = 1})).start, 30);
  EXPECT_NEAR(last(arrive({.maps = 2, .cpu = 1000})).start, 50, 1e-3);
  EXPECT_NEAR(last(arrive({.maps = 1, .cores = 2})).start, 50, 1e-3) << "one node has to be empty";
  state->advance(TimePoint(seconds(120)));  // all are overdue
  EXPECT_EQ(last(arrive({.maps = 1})).start, 0);
}

TEST_F(LastStartsTest, WaitForTheBootOfNodesThatCouldBeLaunched) {
  const OfferId offer = builder.offer(ZoneId(0), 0.4, 2);
  EXPECT_EQ(last(arrive({.maps = 8, .cpu = 60})).start, 40);
  EXPECT_NEAR(last(arrive({.maps = 9, .cpu = 60})).start, 100, 1e-3);
  builder.start.offers[offer].left = 0;
  state.reset();
  EXPECT_EQ(last(arrive({.maps = 1})).start, never);
}

TEST_F(LastStartsTest, AreNeverWhereNoNodeTakesATask) {
  builder.node({.slots = 2, .cpu = 2});
  EXPECT_EQ(last(arrive({.maps = 1, .cores = 3})).start, never);
  PlacementConstraint elsewhere;
  elsewhere.required.push_back({"zone", LabelRequirement::Operator::in, {"b"}});
  builder.start.constraints.push_back(elsewhere);
  state.reset();
  EXPECT_EQ(last(arrive({.maps = 1, .constraint = ConstraintId(0)})).start, never);
  EXPECT_EQ(last(arrive({.maps = 1})).start, 0);
  EXPECT_EQ(last(arrive({.maps = 1})).end, 10);
}

TEST_F(LastStartsTest, AreOfTheShortestTasks) {
  builder.node({.slots = 1, .cpu = 1});
  JobArrived arrived = testing::job(builder.start, {.maps = 3, .cpu = 10});
  arrived.tasks[0].cpu = CpuSeconds(1000), arrived.tasks[2].cpu = CpuSeconds(100);
  state.emplace(builder.start);
  state->apply(arrived);
  EXPECT_NEAR(LastStarts(cluster()).of(JobId(0), 2).start, 10, 1e-3);
  EXPECT_NEAR(LastStarts(cluster()).of(JobId(0), 3).start, 110, 1e-3);
  EXPECT_EQ(LastStarts(cluster()).of(JobId(0), 0).end, 0);
}

// The tasks of a job alone start one after the other wherever there is room first, the longest first or in any order:
// the last never starts, or ends, before it was said to.
TEST_F(LastStartsTest, AreNoLaterThanThoseOfAnySchedule) {
  double closest = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    state.reset(), builder = ElasticBuilder();
    std::vector<std::pair<double, double>> slots;  // free from, speed
    const auto below = [&](std::uint64_t end) { return static_cast<int>(random.below(end)); };
    std::vector<int> cores, busy;
    for (int n = 1 + below(3); n > 0; --n) {
      cores.push_back(1 + below(4)), busy.push_back(below(1 + static_cast<std::uint64_t>(cores.back())));
      builder.node({.slots = 9, .cpu = 1.0 * cores.back(), .speed = random.below(2) == 0 ? 1 : random.uniform(0.5, 2)});
    }
    const int launched = below(3);
    builder.offer(ZoneId(0), 0.4, static_cast<std::uint32_t>(launched));
    slots.assign(static_cast<std::size_t>(4 * launched), {40.0, 1.0});
    for (std::size_t n = 0; n < cores.size(); ++n) {
      const NodeId node(static_cast<std::uint32_t>(n));
      for (int core = 0; core < cores[n]; ++core) {
        const double speed = builder.start.nodes[node].speed, work = random.uniform(1, 500);
        if (core < busy[n]) run(node, 1, work);
        slots.emplace_back(core < busy[n] ? work / speed : 0.0, speed);
      }
    }
    JobArrived arrived = testing::job(builder.start, {.maps = 1 + below(20)});
    const bool equal = random.below(2) == 0;
    for (Task& task : arrived.tasks) task.cpu = CpuSeconds(equal ? 100 : random.uniform(1, 1000));
    if (random.below(2) == 0)
      std::sort(arrived.tasks.begin(), arrived.tasks.end(),
                [](const Task& a, const Task& b) { return a.cpu.value() > b.cpu.value(); });
    if (!state) state.emplace(builder.start);
    state->apply(arrived);
    double start = 0, end = 0;
    for (const Task& task : arrived.tasks) {
      auto& [free_from, speed] = *std::min_element(slots.begin(), slots.end());
      start = std::max(start, free_from);
      free_from += task.cpu.value() / speed;
      end = std::max(end, free_from);
    }
    const LastStarts::Last said = last(JobId(static_cast<std::uint32_t>(cluster().jobs.size() - 1)));
    EXPECT_LE(said.start, start + 1e-3) << "seed " << seed;
    EXPECT_LE(said.end, end + 1e-3) << "seed " << seed;
    if (start > 0) closest = std::max(closest, said.start / start);
  }
  EXPECT_GT(closest, 0.99);
}

}  // namespace
}  // namespace lips
