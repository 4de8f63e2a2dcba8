#include "tests/policies/case.h"

namespace lips::testing {
namespace {

using ::testing::ElementsAre;

constexpr const char* most_allocated = "most-allocated";

TEST(MostAllocated, FillsANodeBeforeItOpensAnother) {
  ClusterBuilder builder;
  const NodeId first = builder.node({.slots = 8, .cpu = 3}), second = builder.node({.slots = 8, .cpu = 3});
  Case with(most_allocated, builder);
  with.add({.maps = 4, .memory = 0});
  const std::vector<Assignment> assigned = with.step();
  ASSERT_EQ(assigned.size(), 4u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(assigned[i].node, first) << i;
  EXPECT_EQ(assigned[3].node, second);
}

TEST(MostAllocated, PrefersTheNodeThatATaskFillsMost) {
  ClusterBuilder builder;
  builder.node({.slots = 8, .cpu = 4});
  const NodeId small = builder.node({.slots = 8, .cpu = 2});
  Case with(most_allocated, builder);
  const JobId job = with.add({.maps = 1, .memory = 0});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(job, 0), small)));
}

TEST(MostAllocated, SeesWhatOtherKindsOfTasksHaveFilled) {
  ClusterBuilder builder;
  const NodeId narrow = builder.node({.slots = 8, .cpu = 2}), wide = builder.node({.slots = 8, .cpu = 4});
  Case with(most_allocated, builder);
  const JobId small = with.add({.maps = 1, .cores = 0.5, .memory = 0});
  const JobId large = with.add({.arrival = 1, .maps = 1, .cores = 2, .memory = 0});
  const JobId late = with.add({.arrival = 2, .maps = 1, .cores = 0.5, .memory = 0});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(small, 0), narrow), Runs(with.task(large, 0), wide),
                                       Runs(with.task(late, 0), wide)))
      << "at last five eighths against a half";
}

TEST(MostAllocated, DoesNotLookWhereTheDataIs) {
  ClusterBuilder builder(2);
  const NodeId other = builder.node({.zone = ZoneId(1)}), holder = builder.node();
  const BlockId block = builder.block({holder});
  Case with(most_allocated, builder);
  const JobId job = with.add({.blocks = {block}});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(job, 0), other)));
}

}  // namespace
}  // namespace lips::testing
