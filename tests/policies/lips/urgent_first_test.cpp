// Among tasks that are alike the more urgent start first, in both forms of the program and on the fast path.
#include "policies/lips/placing/urgent_first.h"

#include <gmock/gmock.h>

#include "base/random.h"
#include "tests/policies/case.h"

namespace lips::testing {
namespace {

// A dear node is empty; the cheap one is full for half an hour. `memory` beside a core decides which form it is.
Plan beside_a_stream(double memory, int priority) {
  ClusterBuilder builder(1);
  const NodeId dear = builder.node({.price = 0.072 / 3600, .slots = 100, .cpu = 4, .memory = 16'384});
  const NodeId cheap = builder.node({.price = 0.036 / 3600, .slots = 100, .cpu = 4, .memory = 16'384});
  (void)dear;
  Case with("lips", builder);
  const JobId holds = with.add({.maps = 1, .cpu = 4 * 1800, .cores = 4});
  EXPECT_TRUE(with.state.assume({with.task(holds, 0), cheap, {}, {}}));
  with.add({.name = "later", .maps = 60, .cpu = 600, .memory = memory});
  with.add({.name = "urgent", .priority = priority, .maps = 1, .cpu = 600, .memory = memory});
  return with.plan();
}

TEST(UrgentFirst, StartsBesideAStreamOfOthersWhateverTheForm) {
  for (const double memory : {100.0, 4096.0, 5120.0}) {
    SCOPED_TRACE(memory);
    const Plan plan = beside_a_stream(memory, 1000);
    ASSERT_FALSE(plan.assignments.empty());
    EXPECT_TRUE(std::any_of(plan.assignments.begin(), plan.assignments.end(),
                            [](const Assignment& assignment) { return assignment.task.index() == 61; }));
  }
}

// The tasks of all jobs are alike; jobs differ in priority and arrival, and some are overdue: those start where others
// would wait, whatever their priority.
TEST(UrgentFirst, HoldsOnRandomClusters) {
  int starts = 0, waits = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    ClusterBuilder builder(2);
    for (std::uint64_t k = 2 + random.below(5); k > 0; --k)
      builder.node({.zone = ZoneId(static_cast<std::uint32_t>(random.below(2))),
                    .price = (1 + static_cast<double>(random.below(4))) * 1e-5,
                    .slots = 100,
                    .cpu = 4,
                    .memory = random.below(2) == 0 ? 4096.0 : 16'384.0});
    PolicySettings settings;
    settings.lips.billing = random.below(2) == 0 ? Billing::invoice : Billing::use;
    settings.lips.fast_path_limit = Usd(random.below(2) == 0 ? 0 : 0.01);
    Case with("lips", builder, settings);
    for (const NodeId node : builder.start.nodes.ids()) {
      if (random.below(2) == 0) continue;
      const JobId holds = with.add({.maps = 1, .cpu = 60.0 * static_cast<double>(1 + random.below(100)), .cores = 2});
      ASSERT_TRUE(with.state.assume({with.task(holds, 0), node, {}, {}}));
    }
    const double memory = random.below(2) == 0 ? 200 : 3000;
    std::vector<JobId> jobs;
    Random deadlines(seed);
    for (std::uint64_t k = 2 + random.below(5); k > 0; --k) {
      JobArrived arrived = job(with.state.snapshot(), {.priority = static_cast<int>(random.below(3)),
                                                       .maps = static_cast<int>(1 + random.below(30)),
                                                       .cpu = 600,
                                                       .memory = memory});
      if (seed % 2 == 0 && deadlines.below(3) == 0) arrived.job.due.complete_by = TimePoint(seconds(-1));
      jobs.emplace_back(static_cast<std::uint32_t>(with.state.snapshot().jobs.size()));
      with.state.apply(arrived);
    }
    const Plan plan = with.plan();
    std::map<JobId, std::uint32_t> started;
    for (const Assignment& assignment : plan.assignments) ++started[with.state.snapshot().tasks[assignment.task].job];
    for (const JobId high : jobs)
      for (const JobId low : jobs) {
        const Job &urgent = with.state.snapshot().jobs[high], &other = with.state.snapshot().jobs[low];
        if (urgent.priority <= other.priority || started[high] == urgent.pending) continue;
        if (!urgent.due.any() && other.due.any()) continue;
        EXPECT_EQ(started[low], 0u) << "priority " << other.priority << " starts while " << urgent.priority << " waits";
      }
    for (const JobId job : jobs) {
      starts += static_cast<int>(started[job]);
      waits += static_cast<int>(with.state.snapshot().jobs[job].pending - started[job]);
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(starts, 5000);
  EXPECT_GT(waits, 5000);
}

}  // namespace
}  // namespace lips::testing
