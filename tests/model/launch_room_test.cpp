#include "model/launch_room.h"

#include <gtest/gtest.h>

#include "tests/policies/elastic_builder.h"

namespace lips {
namespace {

constexpr Resources four_cores{Cores(4), Mebibytes(16384), 4};

TEST(LaunchLimit, AllowsAsManyNodesAsItsScarcestPart) {
  EXPECT_EQ(LaunchLimit{}.most(four_cores), LaunchLimit::any_number);
  EXPECT_EQ((LaunchLimit{.nodes = 3}).most(four_cores), 3u);
  EXPECT_EQ((LaunchLimit{.nodes = 3, .cores = Cores(8)}).most(four_cores), 2u);
  EXPECT_EQ((LaunchLimit{.cores = Cores(7.9)}).most(four_cores), 1u);
  EXPECT_EQ((LaunchLimit{.cores = Cores(8), .memory = Mebibytes(16384)}).most(four_cores), 1u);
  EXPECT_EQ((LaunchLimit{.memory = Mebibytes(0)}).most(four_cores), 0u);
}

TEST(LaunchLimit, IsWhatItWasOnceNodesAreGivenBack) {
  for (const LaunchLimit& limit : {LaunchLimit{}, LaunchLimit{5, Cores(21), Mebibytes(1e5)}}) {
    LaunchLimit left = limit;
    left.take(four_cores, 2);
    EXPECT_EQ(left.most(four_cores), std::min(limit.most(four_cores), limit.most(four_cores) - 2) +
                                         (limit.nodes == LaunchLimit::any_number ? 2 : 0));
    left.give_back(four_cores, 2);
    EXPECT_EQ(left, limit);
  }
}

struct LaunchRoomTest : ::testing::Test {
  testing::ElasticBuilder builder{2};
  OfferId here = builder.offer(ZoneId(0), 0.4, 7), there = builder.offer(ZoneId(1), 0.3, 7),
          alone = builder.offer(ZoneId(0), 0.5, 7);
  LaunchRoomTest() {
    const LimitId within = builder.start.launch_limits.push_back({.cores = Cores(20)});
    builder.start.offers[here].within = builder.start.offers[there].within = within;
  }
};

TEST_F(LaunchRoomTest, IsSharedByTheOffersWithinALimit) {
  LaunchRoom room(builder.start);
  EXPECT_EQ(room.nodes(here), 5u);
  room.take(there, 3);
  EXPECT_EQ(room.nodes(here), 2u);
  EXPECT_EQ(room.nodes(there), 2u);
  EXPECT_EQ(room.nodes(alone), 7u);
  LaunchLimits trial = room.limits();
  room.take(here, 1, trial);
  EXPECT_EQ(room.nodes(there, 0, trial), 1u);
  EXPECT_EQ(room.nodes(there), 2u) << "the trial is the caller's";
}

TEST_F(LaunchRoomTest, CountsWholeMachinesAgainstALimit) {
  builder.start.offers[here].cores = Cores(9), builder.start.offers[here].memory = Mebibytes(1024);
  LaunchRoom room(builder.start);
  EXPECT_EQ(room.nodes(here), 2u) << "of 20 cores";
  EXPECT_EQ(nodes_left(builder.start, builder.start.offers[here]), 2u);
  room.take(here, 1);
  EXPECT_EQ(room.nodes(there), 2u);
}

TEST_F(LaunchRoomTest, TakesANodeForAsManyTasksAsItHolds) {
  LaunchRoom room(builder.start);
  const Resources task{Cores(1.5), Mebibytes(0), 1};
  int placed = 0;
  while (room.take_for(placed % 2 == 0 ? here : there, task)) ++placed;
  EXPECT_EQ(placed, 9) << "two on a node; the tenth needs a sixth one";
  EXPECT_TRUE(room.take_for(here, task)) << "the last one there is half empty";
  EXPECT_FALSE(room.take_for(here, task));
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(room.take_for(alone, task)) << "other types are launched in its stead";
  EXPECT_FALSE(room.take_for(alone, {Cores(5), Mebibytes(0), 1})) << "larger than a node";
}

TEST_F(LaunchRoomTest, CountsOnceInWhatCouldWork) {
  EXPECT_DOUBLE_EQ(launchable_work_rate(builder.start), 20 + 7 * 4);
  builder.start.launch_limits[LimitId(0)] = {.nodes = 2};
  EXPECT_DOUBLE_EQ(launchable_work_rate(builder.start), 2 * 4 + 7 * 4);
}

}  // namespace
}  // namespace lips
