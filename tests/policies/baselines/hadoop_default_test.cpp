#include "tests/policies/case.h"

namespace lips::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* hadoop_default = "hadoop-default";

// Two racks of two nodes; work for more than all slots, so that no node is held back by its part of the load.
struct TwoRacks {
  ClusterBuilder builder;
  RackId a = builder.rack(), b = builder.rack();
  NodeId a0 = builder.node({.rack = a}), a1 = builder.node({.rack = a}), b0 = builder.node({.rack = b}),
         b1 = builder.node({.rack = b});
  std::vector<BlockId> on(NodeId node, int count) {
    std::vector<BlockId> blocks;
    for (int i = 0; i < count; ++i) blocks.push_back(builder.block({node}));
    return blocks;
  }
};

TEST(HadoopDefault, AnswersOnlyNodesThatReport) {
  TwoRacks cluster;
  Case with(hadoop_default, cluster.builder);
  with.add({.maps = 20});
  EXPECT_THAT(with.plan().assignments, IsEmpty());
}

TEST(HadoopDefault, TakesNodeLocalTasksBeforeRackLocalOnes) {
  TwoRacks cluster;
  std::vector<BlockId> blocks = cluster.on(cluster.a1, 6);
  for (BlockId block : cluster.on(cluster.a0, 1)) blocks.push_back(block);
  for (BlockId block : cluster.on(cluster.b0, 6)) blocks.push_back(block);
  Case with(hadoop_default, cluster.builder);
  const JobId job = with.add({.blocks = blocks});
  EXPECT_THAT(with.step({cluster.a0}),
              ElementsAre(Runs(with.task(job, 6), cluster.a0), Runs(with.task(job, 0), cluster.a0)));
}

TEST(HadoopDefault, GivesOneOffSwitchTaskAHeartbeat) {
  TwoRacks cluster;
  const std::vector<BlockId> blocks = cluster.on(cluster.b0, 12);
  Case with(hadoop_default, cluster.builder);
  with.add({.blocks = blocks});
  EXPECT_THAT(with.step({cluster.a0}), SizeIs(1));
  EXPECT_THAT(with.step({cluster.a0}), SizeIs(1));
  EXPECT_THAT(with.step({cluster.a0}), IsEmpty()) << "both slots are taken";
}

TEST(HadoopDefault, CountsTasksWithoutInputAsOffSwitch) {
  TwoRacks cluster;
  Case with(hadoop_default, cluster.builder);
  with.add({.maps = 12});
  EXPECT_THAT(with.step({cluster.a0}), SizeIs(1));
}

TEST(HadoopDefault, PrefersAnOffSwitchTaskOfTheFirstJobToALocalOneOfTheSecond) {
  TwoRacks cluster;
  const std::vector<BlockId> far = cluster.on(cluster.b0, 10), near = cluster.on(cluster.a0, 10);
  Case with(hadoop_default, cluster.builder);
  const JobId first = with.add({.blocks = far});
  with.add({.arrival = 1, .blocks = near});
  EXPECT_THAT(with.step({cluster.a0}), ElementsAre(Runs(with.task(first, 0), cluster.a0)));
}

TEST(HadoopDefault, OrdersJobsByPriorityThenArrival) {
  TwoRacks cluster;
  Case with(hadoop_default, cluster.builder);
  with.add({.arrival = 0, .maps = 10});
  with.add({.arrival = 1, .priority = 1, .maps = 1});
  const JobId urgent = with.add({.arrival = 0.5, .priority = 1, .maps = 1});
  EXPECT_THAT(with.step({cluster.a0}), ElementsAre(Runs(with.task(urgent, 0), cluster.a0)));
}

TEST(HadoopDefault, GivesANodeNoMoreThanItsPartOfTheLoad) {
  ClusterBuilder builder;
  std::vector<NodeId> nodes;
  for (int i = 0; i < 4; ++i) nodes.push_back(builder.node({.slots = 4, .cpu = 4}));
  std::vector<BlockId> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(builder.block({nodes[0]}));
  Case with(hadoop_default, builder);
  with.add({.blocks = blocks});
  EXPECT_THAT(with.step({nodes[0]}), SizeIs(1)) << "ceil(4 slots x 4 tasks / 16 slots)";
  EXPECT_THAT(with.step({nodes[1]}), SizeIs(1)) << "without racks the zone is one: rack-local";
}

TEST(HadoopDefault, GivesOneReduceAHeartbeat) {
  TwoRacks cluster;
  Case with(hadoop_default, cluster.builder);
  const JobId job = with.add({.maps = 0, .reduces = 8});
  EXPECT_THAT(with.step({cluster.a0}), ElementsAre(Runs(with.task(job, 0), cluster.a0)));
  EXPECT_THAT(with.step({cluster.a0}), SizeIs(1));
}

TEST(HadoopDefault, DoesNotLetMapsOfLaterJobsShutOutReduces) {
  TwoRacks cluster;
  Case with(hadoop_default, cluster.builder);
  const JobId job = with.add({.maps = 0, .reduces = 1});
  with.add({.arrival = 1, .maps = 100});
  EXPECT_THAT(with.step({cluster.a0}), ElementsAre(Runs(with.task(job, 0), cluster.a0), ::testing::_));
}

TEST(HadoopDefault, GivesOneMapAHeartbeatWhenTheClusterIsNearlyFull) {
  TwoRacks cluster;
  const std::vector<BlockId> blocks = cluster.on(cluster.a0, 300);
  Case with(hadoop_default, cluster.builder);
  with.add({.blocks = blocks, .reduces = 1});
  EXPECT_THAT(with.step({cluster.a0}), SizeIs(2)) << "8 slots, none used";
  for (NodeId node : {cluster.a1, cluster.b0, cluster.b0}) with.step({node});
  ASSERT_THAT(with.state.snapshot().running, SizeIs(6));
  EXPECT_THAT(with.step({cluster.b1}), SizeIs(1)) << "two slots stay free for tasks that fail";
}

}  // namespace
}  // namespace lips::testing
