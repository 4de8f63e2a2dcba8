#include "tests/policies/case.h"

namespace lips::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* own_zone_cheapest = "own-zone-cheapest";
constexpr ZoneId there{1};

TEST(OwnZoneCheapest, TakesTheCheapestNodeOfTheZonesThatHoldTheData) {
  ClusterBuilder builder(2);
  builder.node({.zone = there, .price = 0.1});
  const NodeId holder = builder.node({.price = 2}), cheap = builder.node({.price = 1});
  const BlockId block = builder.block({holder});
  Case with(own_zone_cheapest, builder);
  const JobId job = with.add({.blocks = {block}});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(job, 0), cheap)));
}

TEST(OwnZoneCheapest, PrefersTheNodeWithTheReplicaAmongEqualPrices) {
  ClusterBuilder builder;
  const NodeId first = builder.node({.slots = 1}), holder = builder.node({.slots = 1});
  const BlockId on_first = builder.block({first}), on_holder = builder.block({holder});
  Case with(own_zone_cheapest, builder);
  const JobId job = with.add({.blocks = {on_holder, on_first}});
  EXPECT_THAT(with.step(),
              ::testing::UnorderedElementsAre(Runs(with.task(job, 0), holder), Runs(with.task(job, 1), first)));
}

TEST(OwnZoneCheapest, GoesToAHolderOfEqualPriceWhenTheFirstNodeHoldsNothing) {
  ClusterBuilder builder;
  builder.node();
  const NodeId holder = builder.node();
  const BlockId block = builder.block({holder});
  Case with(own_zone_cheapest, builder);
  const JobId job = with.add({.blocks = {block}});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(job, 0), holder)));
}

TEST(OwnZoneCheapest, WaitsWhenItsZoneIsFull) {
  ClusterBuilder builder(2);
  builder.node({.zone = there});
  const NodeId holder = builder.node({.slots = 1});
  const BlockId block = builder.block({holder});
  Case with(own_zone_cheapest, builder);
  with.add({.blocks = {block, block}});
  const Plan plan = with.plan();
  EXPECT_THAT(plan.assignments, ElementsAre(Runs(TaskId(0), holder)));
  EXPECT_EQ(plan.rest, DeferralReason::cheaper_later);
}

TEST(OwnZoneCheapest, SaysNoCapacityWhenNothingIsFreeAnywhere) {
  ClusterBuilder builder;
  builder.node({.slots = 1});
  Case with(own_zone_cheapest, builder);
  with.add({.maps = 2});
  EXPECT_EQ(with.plan().rest, DeferralReason::no_capacity);
}

TEST(OwnZoneCheapest, GoesAnywhereWhenItsZoneCanNeverServeIt) {
  ClusterBuilder builder(2);
  const NodeId large = builder.node({.zone = there, .slots = 4, .cpu = 4}), holder = builder.node({.cpu = 1});
  const BlockId block = builder.block({holder});
  Case with(own_zone_cheapest, builder);
  const JobId job = with.add({.blocks = {block}, .cores = 2});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(job, 0), large)));
}

TEST(OwnZoneCheapest, RunsTasksWithoutInputWhereItIsCheapest) {
  ClusterBuilder builder(2);
  builder.node();
  const NodeId cheap = builder.node({.zone = there, .price = 0.5});
  Case with(own_zone_cheapest, builder);
  const JobId job = with.add({.maps = 1});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(job, 0), cheap)));
}

TEST(OwnZoneCheapest, RunsReducesWhereMostOfTheMapOutputIs) {
  ClusterBuilder builder(2);
  const NodeId cheap = builder.node({.price = 0.1}), dear = builder.node({.zone = there});
  const std::vector<BlockId> blocks = {builder.block({dear}), builder.block({dear}), builder.block({cheap})};
  Case with(own_zone_cheapest, builder);
  const JobId job = with.add({.blocks = blocks, .reduces = 1, .shuffle = 90});
  ASSERT_EQ(with.step().size(), 3u);
  for (std::uint32_t map = 0; map < 3; ++map) with.finish(with.task(job, map));
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(job, 3), dear)));
  EXPECT_THAT(with.step(), IsEmpty());
}

}  // namespace
}  // namespace lips::testing
