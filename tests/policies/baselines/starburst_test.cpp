#include "tests/policies/case.h"
#include "tests/policies/elastic_builder.h"

namespace lips::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

constexpr const char* starburst = "starburst";
constexpr ZoneId there{1};

// Two tasks of 1800 CPU-seconds, and a slot where their data lies: a CPU-hour of work, which waits 60 s.
struct OneSlotAtHome {
  ClusterBuilder builder{2};
  NodeId home = builder.node({.slots = 1}), other = builder.node({.zone = there, .slots = 4, .cpu = 4});
  BlockId block = builder.block({home});
  JobSpec spec{.blocks = {block, block}, .cpu = 1800};
};

TEST(Starburst, WaitsForItsZoneATimeInProportionToItsWork) {
  OneSlotAtHome cluster;
  Case with(starburst, cluster.builder);
  const JobId job = with.add(cluster.spec);
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(job, 0), cluster.home)));
  with.at(59.9);
  EXPECT_THAT(with.step(), IsEmpty());
  with.at(60);
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(job, 1), cluster.other)));
}

TEST(Starburst, WaitsLongerIfTold) {
  OneSlotAtHome cluster;
  PolicySettings settings;
  settings.starburst.wait_per_cpu_hour = seconds(100);
  Case with(starburst, cluster.builder, settings);
  with.add(cluster.spec);
  with.step();
  with.at(99);
  EXPECT_THAT(with.step(), IsEmpty());
  with.at(100);
  EXPECT_THAT(with.step(), SizeIs(1));
}

TEST(Starburst, SaysWhenTheNextWaitEnds) {
  OneSlotAtHome cluster;
  Case with(starburst, cluster.builder);
  with.add(cluster.spec);
  with.step();
  with.at(50);
  EXPECT_EQ(with.plan().replan_after, seconds(10));
}

TEST(Starburst, LetsSmallerJobsPassAJobThatWaits) {
  OneSlotAtHome cluster;
  Case with(starburst, cluster.builder);
  with.add(cluster.spec);
  const JobId small = with.add({.arrival = 1, .maps = 1, .cpu = 1});
  with.at(1);
  const std::vector<Assignment> assigned = with.step();
  ASSERT_EQ(assigned.size(), 2u);
  EXPECT_THAT(assigned[1], Runs(with.task(small, 0), cluster.other));
}

TEST(Starburst, DoesNotWaitForAZoneThatCanNeverServeIt) {
  ClusterBuilder builder(2);
  const NodeId large = builder.node({.zone = there, .slots = 4, .cpu = 4}), holder = builder.node({.cpu = 1});
  const BlockId block = builder.block({holder});
  Case with(starburst, builder);
  const JobId job = with.add({.blocks = {block}, .cpu = 3600, .cores = 2});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(job, 0), large)));
}

TEST(Starburst, RequestsNodesOnlyWhenTheWaitIsOver) {
  ElasticBuilder builder(2);
  const OfferId own = builder.offer(ZoneId(0), 0.4);
  builder.offer(there, 0.1);
  const BlockId block = builder.block_in({builder.volume(ZoneId(0))});
  Case with(starburst, builder);
  const JobId job = with.add({.blocks = {block}, .cpu = 3600});
  EXPECT_THAT(with.plan().node_requests, Optional(IsEmpty()));
  with.at(60);
  EXPECT_THAT(with.plan().node_requests, Optional(ElementsAre(NodeRequest{with.task(job, 0), own})));
}

}  // namespace
}  // namespace lips::testing
