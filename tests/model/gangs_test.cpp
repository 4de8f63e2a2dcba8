#include "model/gangs.h"

#include <gtest/gtest.h>

#include "tests/policies/snapshot_builder.h"

namespace lips {
namespace {

using testing::ClusterBuilder;

JobArrived gang_of(const ClusterState& state, int tasks, std::uint32_t gang) {
  JobArrived arrived = testing::job(state.snapshot(), {.maps = tasks});
  arrived.job.whole.id = WholeJobId(0);
  arrived.job.whole.peers = true;
  arrived.job.whole.gang = gang;
  return arrived;
}

TEST(ShortGangs, CountWhatRunsAndWhatHasEnded) {
  ClusterBuilder builder(1);
  builder.pool();
  builder.node({.slots = 10, .cpu = 10});
  ClusterState state(builder.start);
  EXPECT_TRUE(short_gangs(state.snapshot()).empty());
  state.apply(gang_of(state, 3, 5));
  state.apply(gang_of(state, 2, 5));
  const auto missing = [&] {
    const auto gangs = short_gangs(state.snapshot());
    return gangs.empty() ? 0 : gangs.at(WholeJobId(0));
  };
  EXPECT_EQ(missing(), 5u);
  for (const std::uint32_t task : {0u, 3u}) ASSERT_TRUE(state.assume({TaskId(task), NodeId(0), {}, {}}));
  EXPECT_EQ(missing(), 3u);
  state.apply(TaskFinished{TaskId(0), NodeId(0)});
  EXPECT_EQ(missing(), 3u) << "one runs, and one has ended";
  state.apply(TaskLost{TaskId(3)});
  EXPECT_EQ(missing(), 4u);
}

}  // namespace
}  // namespace lips
