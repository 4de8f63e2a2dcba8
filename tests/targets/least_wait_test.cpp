#include "targets/least_wait.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

#include "base/random.h"

namespace lips {
namespace {

TimePoint at(double seconds_after) { return TimePoint(seconds(seconds_after)); }

TEST(LeastWait, IsTheAreaAboveWhatRunsAtOnce) {
  LeastWait least;
  const LeastWait::Nodes nodes{4, Cores(4)};
  EXPECT_EQ(least.advance(at(0), nodes), 0);
  least.arrive(12, CpuSeconds(100), Cores(1));  // done after 300 s; four run at once
  const double rest = least.rest(nodes);
  EXPECT_NEAR(rest, 8 * 200 / 2.0, 0.02 * 800);
  EXPECT_NEAR(least.advance(at(100), nodes), (8 + 4) / 2.0 * 100, 0.02 * 600);
  EXPECT_NEAR(least.advance(at(1000), nodes), 4 * 100 / 2.0, 0.05 * 200);
  EXPECT_EQ(least.rest(nodes), 0);
}

TEST(LeastWait, DoesTheShortestFirst) {
  LeastWait least;
  const LeastWait::Nodes nodes{1, Cores(1)};
  least.advance(at(0), nodes);
  least.arrive(1, CpuSeconds(1000), Cores(1));
  least.arrive(100, CpuSeconds(1), Cores(1));
  EXPECT_NEAR(least.rest(nodes), 100 * 100 / 2.0, 0.05 * 5000);  // a thousand times more the other way round
}

TEST(LeastWait, ForgetsWithdrawnTasksWithTheQueue) {
  LeastWait least;
  const LeastWait::Nodes nodes{1, Cores(1)};
  least.advance(at(0), nodes);
  least.arrive(10, CpuSeconds(1), Cores(1));
  for (int i = 0; i < 10; ++i) least.withdraw();
  EXPECT_EQ(least.advance(at(100), nodes), 0);
  least.arrive(10, CpuSeconds(1), Cores(1));
  EXPECT_GT(least.rest(nodes), 0);
}

struct Arriving {
  double at = 0, work = 0;
};

// Waits on nodes of one core, where whoever comes first by `before` starts as soon as a node is free.
double waits(std::vector<Arriving> tasks, std::size_t cores, double speed,
             const std::function<bool(const Arriving&, const Arriving&)>& before) {
  std::priority_queue<double, std::vector<double>, std::greater<>> free;
  for (std::size_t i = 0; i < cores; ++i) free.push(0);
  double sum = 0;
  while (!tasks.empty()) {
    const auto by_arrival = [](const Arriving& a, const Arriving& b) { return a.at < b.at; };
    const double now = std::max(free.top(), std::min_element(tasks.begin(), tasks.end(), by_arrival)->at);
    const auto here = std::partition(tasks.begin(), tasks.end(), [&](const Arriving& task) { return task.at <= now; });
    const auto next = std::min_element(tasks.begin(), here, before);
    free.pop(), free.push(now + next->work / speed);
    sum += now - next->at;
    tasks.erase(next);
  }
  return sum;
}

TEST(LeastWait, IsBelowTheWaitsOfAnySchedule) {
  double closest = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::size_t cores = 1 + random.below(6);
    const double speed = random.uniform(0.5, 2);
    std::vector<Arriving> tasks(1 + random.below(80));
    for (Arriving& task : tasks)
      task = {std::floor(random.uniform(0, 200)), std::exp(random.uniform(0, random.below(2) ? 1 : 6))};
    std::sort(tasks.begin(), tasks.end(), [](const Arriving& a, const Arriving& b) { return a.at < b.at; });
    const LeastWait::Nodes nodes{static_cast<double>(cores) * speed, Cores(static_cast<double>(cores))};
    LeastWait least;
    double bound = 0;
    for (const Arriving& task : tasks) {
      bound += least.advance(at(task.at), nodes);
      least.arrive(1, CpuSeconds(task.work), Cores(1));
      EXPECT_GE(least.rest(nodes), 0);
    }
    bound += least.rest(nodes);
    const double shortest_first =
        waits(tasks, cores, speed, [](const Arriving& a, const Arriving& b) { return a.work < b.work; });
    const double first_come =
        waits(tasks, cores, speed, [](const Arriving& a, const Arriving& b) { return a.at < b.at; });
    EXPECT_LE(bound, shortest_first + 1e-6);
    EXPECT_LE(bound, first_come + 1e-6);
    if (shortest_first > 0) closest = std::max(closest, bound / shortest_first);
  }
  EXPECT_GT(closest, 0.8);
}

TEST(LeastWaits, GrowByWhatArrivesAndCountWhatIsStillToBeWaited) {
  LeastWaits least;
  const LeastWait::Nodes nodes{1, Cores(1)};
  least.take(at(0), nodes);
  least.arrive(at(10), nodes, 101, CpuSeconds(1), Cores(1));
  const LeastWaits::Sums grown = least.take(at(10), nodes);
  EXPECT_NEAR(grown.front(), 100 * 100 / 2.0, 0.05 * 5000);
  EXPECT_LT(grown.back(), grown.front() / 4);  // on five times the nodes
  EXPECT_NEAR(least.take(at(50), nodes).front(), 0, 1);
  EXPECT_NEAR(least.take(at(500), nodes).front(), 0, 1);
}

// Jobs that are listed once more wait no longer for it.
TEST(LeastWaits, CountWhatArrivesOnceMoreOnce) {
  const LeastWait::Nodes nodes{1, Cores(1)};
  LeastWaits waits;
  const auto arrive = [&] { waits.arrive(TimePoint{}, nodes, 10, CpuSeconds(60), Cores(1)); };
  arrive();
  LeastWaits::Sums all = waits.take(TimePoint{}, nodes);
  EXPECT_GT(all[0], 1000);
  for (int listing = 0; listing < 3; ++listing) {
    waits.begin_anew();
    arrive();
    for (const double more : waits.take(TimePoint{}, nodes)) EXPECT_NEAR(more, 0, 1e-6);
  }
}

}  // namespace
}  // namespace lips
