#include "tests/policies/case.h"

namespace lips::testing {
namespace {

using ::testing::ElementsAre;

constexpr const char* greedy_cheapest = "greedy-cheapest";
constexpr ZoneId there{1};

// 64 MiB across zones cost 0.64 dollars here.
struct TwoZones {
  ClusterBuilder builder{2};
  NodeId holder = builder.node({.price = 1});
  BlockId block = builder.block({holder});
};

TEST(GreedyCheapest, CrossesZonesWhenCpuIsCheaperByMoreThanTheTransfer) {
  TwoZones cluster;
  const NodeId cheap = cluster.builder.node({.zone = there, .price = 0.93});
  Case with(greedy_cheapest, cluster.builder);
  const JobId job = with.add({.blocks = {cluster.block}, .cpu = 10});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(job, 0), cheap))) << "9.3 + 0.64 < 10";
}

TEST(GreedyCheapest, StaysWhenTheTransferCostsMoreThanCheapCpuSaves) {
  TwoZones cluster;
  cluster.builder.node({.zone = there, .price = 0.94});
  Case with(greedy_cheapest, cluster.builder);
  const JobId job = with.add({.blocks = {cluster.block}, .cpu = 10});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(job, 0), cluster.holder))) << "9.4 + 0.64 > 10";
}

TEST(GreedyCheapest, DoesNotWaitForACheaperSlot) {
  TwoZones cluster;
  const NodeId dear = cluster.builder.node({.zone = there, .price = 50});
  Case with(greedy_cheapest, cluster.builder);
  with.add({.blocks = {cluster.block, cluster.block, cluster.block}});
  EXPECT_THAT(with.step(), ::testing::Contains(Runs(TaskId(2), dear)));
}

// The avoided one comes first by id.
TEST(GreedyCheapest, AvoidsANodeWhereAnotherCostsAboutTheSame) {
  for (const double other : {1.0, 1.04, 1.06}) {
    ClusterBuilder builder;
    const NodeId avoided = builder.node({.price = 1});
    const NodeId plain = builder.node({.price = other});
    builder.start.nodes[avoided].preference = 1.05;
    Case with(greedy_cheapest, builder);
    const JobId job = with.add({.maps = 1});
    EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(job, 0), other < 1.05 ? plain : avoided))) << other;
  }
}

TEST(GreedyCheapest, PrefersTheHolderAmongEqualPrices) {
  ClusterBuilder builder;
  builder.node();
  const NodeId holder = builder.node();
  const BlockId block = builder.block({holder});
  Case with(greedy_cheapest, builder);
  const JobId job = with.add({.blocks = {block}});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(job, 0), holder)));
}

TEST(GreedyCheapest, CountsTheShuffleOfReduces) {
  TwoZones cluster;
  cluster.builder.node({.zone = there, .price = 0.9});
  Case with(greedy_cheapest, cluster.builder);
  const JobId job = with.add({.blocks = {cluster.block}, .reduces = 1, .cpu = 1, .shuffle = 1000});
  ASSERT_EQ(with.step().size(), 1u);
  with.finish(with.task(job, 0));
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(job, 1), cluster.holder)));
}

TEST(GreedyCheapest, SaysItsFormAndItsCost) {
  TwoZones cluster;
  Case with(greedy_cheapest, cluster.builder);
  with.add({.blocks = {cluster.block}, .cpu = 10});
  const Plan plan = with.plan();
  EXPECT_EQ(plan.account.form, ModelForm::greedy);
  EXPECT_DOUBLE_EQ(plan.account.dollars().value(), 10);
}

}  // namespace
}  // namespace lips::testing
