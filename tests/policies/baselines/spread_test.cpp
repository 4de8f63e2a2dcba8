#include "tests/policies/case.h"

namespace lips::testing {
namespace {

using ::testing::ElementsAre;

TEST(Spread, TakesTheLeastAllocatedNodeEachTime) {
  ClusterBuilder builder;
  const NodeId small = builder.node({.slots = 8, .cpu = 2}), large = builder.node({.slots = 8, .cpu = 4});
  Case with("spread", builder);
  with.add({.maps = 3, .memory = 0});
  const std::vector<Assignment> assigned = with.step();
  ASSERT_EQ(assigned.size(), 3u);
  EXPECT_EQ(assigned[0].node, large) << "a quarter against a half";
  EXPECT_EQ(assigned[1].node, small) << "a half each with it: least id";
  EXPECT_EQ(assigned[2].node, large);
}

TEST(Spread, CountsMemoryAsMuchAsCpu) {
  ClusterBuilder builder;
  builder.node({.memory = 1000});
  const NodeId roomy = builder.node({.memory = 4000});
  Case with("spread", builder);
  const JobId job = with.add({.maps = 1, .memory = 800});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(job, 0), roomy)));
}

TEST(Spread, DoesNotLookWhereTheDataIs) {
  ClusterBuilder builder(2);
  const NodeId other = builder.node({.zone = ZoneId(1)}), holder = builder.node();
  const BlockId block = builder.block({holder});
  Case with("spread", builder);
  const JobId job = with.add({.blocks = {block}});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(job, 0), other)));
}

TEST(Spread, ServesHigherPriorityFirst) {
  ClusterBuilder builder;
  const NodeId node = builder.node({.slots = 1});
  Case with("spread", builder);
  with.add({.maps = 1});
  const JobId urgent = with.add({.arrival = 1, .priority = 1, .maps = 1});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(urgent, 0), node)));
}

}  // namespace
}  // namespace lips::testing
