#include "tests/policies/case.h"

namespace lips::testing {
namespace {

using ::testing::ElementsAre;

TEST(Fifo, ServesJobsByArrivalWhateverTheirPriority) {
  ClusterBuilder builder;
  const NodeId node = builder.node({.slots = 1});
  Case with("fifo", builder);
  with.add({.arrival = 5, .priority = 9, .maps = 1});
  const JobId earlier = with.add({.arrival = 2, .maps = 1});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(earlier, 0), node)));
}

TEST(Fifo, PrefersANodeWithTheDataElseTheLeastId) {
  ClusterBuilder builder;
  const NodeId first = builder.node(), holder = builder.node({.slots = 1});
  const BlockId block = builder.block({holder});
  Case with("fifo", builder);
  const JobId job = with.add({.blocks = {block, block}});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(job, 0), holder), Runs(with.task(job, 1), first)));
}

TEST(Fifo, LetsSmallTasksPassThoseThatFitNowhere) {
  ClusterBuilder builder;
  const NodeId node = builder.node();
  Case with("fifo", builder);
  with.add({.maps = 3, .cores = 8});
  const JobId small = with.add({.arrival = 1, .maps = 1});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(small, 0), node)));
}

}  // namespace
}  // namespace lips::testing
