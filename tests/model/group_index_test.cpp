#include "model/group_index.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "model/cluster_state.h"

namespace lips {
namespace {

bool same(const TaskGroup& a, const TaskGroup& b) {
  return a.kind == b.kind && a.reads == b.reads && a.zones == b.zones && a.degraded == b.degraded && a.cpu == b.cpu &&
         a.input == b.input && a.data_set == b.data_set;
}

TaskGroup random_group(Random& random, std::uint64_t variety) {
  TaskGroup group;
  group.kind = random.below(2) == 0 ? TaskKind::map : TaskKind::reduce;
  group.reads = random.below(2) == 0;
  group.zones = ZoneSet(random.below(variety));
  group.degraded = random.below(2) == 0;
  group.cpu = CpuSeconds(static_cast<double>(random.below(variety)) - 0.0);
  if (random.below(20) == 0) group.cpu = CpuSeconds(-0.0);
  group.input = Mebibytes(static_cast<double>(random.below(variety)));
  if (random.below(2) == 0) group.data_set = DataSetId(static_cast<std::uint32_t>(random.below(variety)));
  return group;
}

TEST(GroupIndex, FindsTheGroupOrAddsItHoweverManyThereAre) {
  for (const std::uint64_t variety : {2u, 4u, 30u}) {
    Random random(variety);
    GroupIndex index;
    std::vector<std::vector<TaskGroup>> groups(2), expected(2);
    for (int i = 0; i < 3000; ++i) {
      const auto job = static_cast<std::uint32_t>(random.below(2));
      if (random.below(1000) == 0) {
        index.forget(JobId(job));
        groups[job].clear(), expected[job].clear();
      }
      const TaskGroup wanted = random_group(random, variety);
      std::size_t at = 0;
      while (at < expected[job].size() && !same(expected[job][at], wanted)) ++at;
      if (at == expected[job].size()) expected[job].push_back(wanted);
      ASSERT_EQ(index.find_or_add(JobId(job), groups[job], wanted), at) << "seed " << variety;
      ASSERT_EQ(groups[job].size(), expected[job].size());
      ASSERT_TRUE(same(groups[job][at], wanted));
    }
  }
}

// Comparing each with all others would be 2e10 comparisons, a minute.
TEST(GroupIndex, TakesAJobInWhichEveryTaskIsAGroup) {
  ClusterSnapshot start;
  start.zones.push_back({"a"});
  start.pools.push_back({});
  ClusterState state(start);
  JobArrived arrived;
  arrived.job.pool = PoolId(0);
  arrived.job.map_tasks = 200'000;
  arrived.tasks.resize(arrived.job.map_tasks);
  for (std::size_t i = 0; i < arrived.tasks.size(); ++i) arrived.tasks[i].cpu = CpuSeconds(1 + static_cast<double>(i));
  state.apply(arrived);
  EXPECT_EQ(state.snapshot().groups[JobId(0)].size(), 200'000u);
}

}  // namespace
}  // namespace lips
