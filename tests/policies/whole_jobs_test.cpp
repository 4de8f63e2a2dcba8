// Jobs in parts under every policy: all tasks come to their end, and no reduce begins while a map is under way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "model/validate_plan.h"
#include "policies/registry/registry.h"
#include "simulation/random_snapshot.h"
#include "tests/policies/closed_loop.h"

namespace lips {
namespace {

using ::testing::IsEmpty;

JobArrived part(Random& random, WholeJobId whole, TimePoint now) {
  JobArrived arrived;
  arrived.job.name = "part";
  arrived.job.pool = PoolId(0);
  arrived.job.arrival = now;
  arrived.job.request = {Cores(0.1 * static_cast<double>(1 + random.below(5))), Mebibytes(1), 1};
  arrived.job.shuffle = Mebibytes(100);
  arrived.job.map_tasks = static_cast<std::uint32_t>(random.below(4));
  arrived.job.reduce_tasks = static_cast<std::uint32_t>(random.below(3)) + (arrived.job.map_tasks == 0);
  arrived.job.whole = {whole, 0, 0, 0, {}};
  for (std::uint32_t i = 0; i < arrived.job.tasks(); ++i) {
    Task task;
    task.kind = i < arrived.job.map_tasks ? TaskKind::map : TaskKind::reduce;
    task.cpu = CpuSeconds(1);
    arrived.tasks.push_back(task);
  }
  return arrived;
}

bool maps_under_way(const ClusterSnapshot& cluster, WholeJobId whole) {
  return std::any_of(cluster.tasks.begin(), cluster.tasks.end(), [&](const Task& task) {
    return task.kind == TaskKind::map && task.state != TaskState::finished && cluster.jobs[task.job].whole.id == whole;
  });
}

class WholeJobsUnder : public ::testing::TestWithParam<PolicyEntry> {};

TEST_P(WholeJobsUnder, EveryPolicyComeToTheirEnd) {
  const std::unique_ptr<Policy> policy = GetParam().make(PolicySettings{});
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const simulation::SnapshotShape shape = simulation::random_small_shape(seed);
    const CostModel costs = simulation::random_costs(shape);
    ClusterState state = simulation::random_cluster(shape);
    const std::uint32_t first = static_cast<std::uint32_t>(state.snapshot().tasks.size());
    for (int step = 0; step < 60; ++step) {
      state.advance(state.snapshot().now + std::chrono::minutes(5));
      if (step < 6) state.apply(part(random, WholeJobId(step % 2), state.snapshot().now));
      const ClusterSnapshot& cluster = state.snapshot();
      const std::vector<NodeId> reporting = testing::all_nodes(cluster);
      const Result<Plan> plan = policy->decide({cluster, costs, 1, reporting, nullptr});
      ASSERT_TRUE(plan) << plan.error().message;
      ASSERT_THAT(validate_plan(cluster, *plan), IsEmpty());
      for (const Remembered& remembered : plan->remember) state.remember(remembered);
      if (plan->remember_shares) state.remember(*plan->remember_shares);
      for (const Assignment& assignment : plan->assignments) {
        const Task& task = cluster.tasks[assignment.task];
        const WholeJobId whole = cluster.jobs[task.job].whole.id;
        const bool early = task.kind == TaskKind::reduce && whole.valid() && maps_under_way(cluster, whole);
        EXPECT_FALSE(early) << "a reduce begins while a map is under way";
        state.assume(assignment);
      }
      const std::vector<RunningTask> running = cluster.running;
      for (const RunningTask& run : running)
        if (random.below(3) > 0) state.apply(TaskFinished{run.task, run.node});
    }
    std::size_t left = 0;
    for (std::uint32_t task = first; task < state.snapshot().tasks.size(); ++task)
      left += state.snapshot().tasks[TaskId(task)].state != TaskState::finished;
    EXPECT_EQ(left, 0u);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, WholeJobsUnder,
                         ::testing::ValuesIn(policy_registry().begin(), policy_registry().end()),
                         [](const auto& entry) {
                           std::string name(entry.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace lips
