#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policies/papers/lsap/group_fairness.h"

namespace lips::lsap {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

std::vector<std::uint64_t> to_occupy(const std::vector<GroupUse>& groups, std::uint64_t slots, ShareRounding rounding) {
  std::vector<std::uint64_t> result;
  for (const GroupCost& cost : group_costs(groups, slots, 0, rounding)) result.push_back(cost.to_occupy);
  return result;
}

TEST(GroupCosts, AreAHundredTimesUseOverWeight) {
  const std::vector<GroupUse> groups = {{1, 3, 10}, {3, 1, 10}};
  const std::vector<GroupCost> costs = group_costs(groups, 8, 1000, ShareRounding::nearest);
  EXPECT_DOUBLE_EQ(costs[0].chosen, 100 * 0.75 / 0.25);
  EXPECT_DOUBLE_EQ(costs[1].chosen, 100 * 0.25 / 0.75);
  EXPECT_DOUBLE_EQ(costs[0].rest, 750);
  EXPECT_DOUBLE_EQ(costs[1].rest, 250);
}

TEST(GroupCosts, ChooseWhatIsLeftOfTheShareAndNoMoreThanWaits) {
  EXPECT_THAT(to_occupy({{1, 3, 10}, {3, 1, 10}}, 8, ShareRounding::nearest), ElementsAre(0u, 5u));
  EXPECT_THAT(to_occupy({{1, 0, 10}, {3, 1, 2}}, 8, ShareRounding::nearest), ElementsAre(2u, 2u));
}

TEST(GroupCosts, RoundSharesAsAsked) {
  const std::vector<GroupUse> thirds = {{1, 0, 9}, {2, 0, 9}};  // 10 slots: 3.33 and 6.67
  EXPECT_THAT(to_occupy(thirds, 10, ShareRounding::down), ElementsAre(3u, 6u));
  EXPECT_THAT(to_occupy(thirds, 10, ShareRounding::nearest), ElementsAre(3u, 7u));
  EXPECT_THAT(to_occupy(thirds, 10, ShareRounding::up), ElementsAre(4u, 7u));
}

TEST(GroupCosts, DoNotRoundAWholeShareUpOrDown) {
  const std::vector<GroupUse> tenths = {{0.1, 0, 9}, {0.2, 0, 9}, {0.7, 0, 9}};
  for (const ShareRounding rounding : {ShareRounding::down, ShareRounding::nearest, ShareRounding::up})
    EXPECT_THAT(to_occupy(tenths, 10, rounding), ElementsAre(1u, 2u, 7u));
}

TEST(GroupCosts, AreZeroWithinSharesWhenNothingRuns) {
  for (const GroupCost& cost : group_costs(std::vector<GroupUse>{{1, 0, 5}, {2, 0, 5}}, 6, 0, ShareRounding::nearest))
    EXPECT_DOUBLE_EQ(cost.chosen, 0);
}

TEST(GroupCosts, KeepEveryTaskBeyondAShareDearerThanAnyWithinOneByDefault) {
  std::vector<GroupUse> groups;
  for (int i = 0; i < 5; ++i) groups.push_back({static_cast<double>(1 << i), 0, 90});
  groups[0].running = 30;  // GFC 3100
  const std::vector<GroupCost> costs = group_costs(groups, 60, 0, ShareRounding::nearest);
  EXPECT_DOUBLE_EQ(costs[0].chosen, 3100);
  for (const GroupCost& within : costs)
    for (const GroupCost& beyond : costs) EXPECT_LE(within.chosen, beyond.rest * (1 + 1e-12));
}

TEST(GroupCosts, MakeNoDifferenceInsideTheOnlyGroupWithAWeight) {
  const std::vector<GroupCost> costs =
      group_costs(std::vector<GroupUse>{{1, 2, 5}, {0, 0, 5}}, 4, 0, ShareRounding::nearest);
  EXPECT_DOUBLE_EQ(costs[0].chosen, costs[0].rest);
  EXPECT_GT(costs[1].rest, costs[0].rest);
  EXPECT_EQ(costs[1].to_occupy, 0u);
}

TEST(NormalisedWeights, AreEqualWhenAllAreZero) {
  EXPECT_THAT(normalised_weights(std::vector<GroupUse>{{0, 0, 0}, {0, 0, 0}}),
              ElementsAre(DoubleEq(0.5), DoubleEq(0.5)));
}

TEST(FairnessDistance, IsTheMeanOfRelativeDeviations) {
  EXPECT_DOUBLE_EQ(fairness_distance(std::vector<GroupUse>{{1, 1, 0}, {3, 3, 0}}), 0);
  // s = 3/4, 1/4 against w = 1/4, 3/4: 2 and 2/3
  EXPECT_DOUBLE_EQ(fairness_distance(std::vector<GroupUse>{{1, 3, 0}, {3, 1, 0}}), (2 + 2.0 / 3) / 2);
}

}  // namespace
}  // namespace lips::lsap
