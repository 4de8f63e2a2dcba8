#include "targets/likely_wait.h"

#include <gtest/gtest.h>

namespace lips {
namespace {

TimePoint at_second(double second) { return TimePoint(seconds(second)); }

TEST(FirstComeQueue, TasksWaitInRoundsForAsLongAsAllCoresAreBusy) {
  FirstComeQueue queue;
  const LeastWait::Nodes nodes{4, Cores(4)};
  EXPECT_EQ(queue.arrive(at_second(0), nodes, 10, CpuSeconds(100), Cores(1)), 4 * 100 + 2 * 200);
  EXPECT_EQ(queue.arrive(at_second(50), nodes, 1, CpuSeconds(10), Cores(1)), 150) << "two cores are free at 200";
  EXPECT_EQ(queue.arrive(at_second(1000), nodes, 4, CpuSeconds(100), Cores(1)), 0);
  EXPECT_EQ(queue.arrive(at_second(1050), nodes * 2, 4, CpuSeconds(100), Cores(1)), 0) << "there are more nodes now";
}

TEST(FirstComeQueue, LargerTasksTakeMoreCoresAndFasterNodesLessTime) {
  FirstComeQueue queue;
  const LeastWait::Nodes nodes{8, Cores(4)};  // of twice the speed
  EXPECT_EQ(queue.arrive(at_second(0), nodes, 4, CpuSeconds(400), Cores(2)), 2 * 100);
}

TEST(FirstComeQueue, AnArrivalOfAnySizeIsCountedAtOnce) {
  FirstComeQueue queue;
  const double waited = queue.arrive(at_second(0), {4, Cores(4)}, 4'000'000, CpuSeconds(100), Cores(1));
  EXPECT_NEAR(waited / 4e6, 1e6 * 100 / 2, 1e6);
  EXPECT_EQ(FirstComeQueue().arrive(at_second(0), {0, Cores(0)}, 4, CpuSeconds(100), Cores(1)), 0);
  EXPECT_EQ(FirstComeQueue().arrive(at_second(0), {4, Cores(4)}, 400, CpuSeconds(0), Cores(1)), 0);
}

TEST(FirstComeQueue, IsNeverBelowTheLeastWait) {
  FirstComeQueue queue;
  LeastWait least;
  const LeastWait::Nodes nodes{16, Cores(16)};
  double likely = 0, at_least = 0;
  for (int i = 0; i < 200; ++i) {
    const std::uint32_t tasks = i % 7 * 9;
    const CpuSeconds each(50.0 + 37 * (i % 11));
    at_least += least.advance(at_second(600 * i), nodes);
    least.arrive(tasks, each, Cores(1));
    likely += queue.arrive(at_second(600 * i), nodes, tasks, each, Cores(1));
  }
  EXPECT_GE(likely, at_least + least.rest(nodes));
}

}  // namespace
}  // namespace lips
