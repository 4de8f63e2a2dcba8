#include "targets/steering_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lips {
namespace {

using testing::HasSubstr;

TimePoint at(double seconds_passed) { return TimePoint(seconds(seconds_passed)); }

TargetReport budget(const std::string& pool, double reached) {
  TargetReport report;
  report.pool = pool;
  report.target = 100;
  report.reached = reached;
  return report;
}

std::optional<LeftAlone> reason(const SteeringGuard& guard, const std::string& pool) {
  const std::optional<LeftAloneBecause> because = guard.why_not(pool);
  return because ? std::optional(because->reason) : std::nullopt;
}

TEST(SteeringGuard, LeavesAPoolAloneForTheRestOfADayWhoseBudgetIsOverspent) {
  SteeringGuard guard;
  guard.planned(at(0), true, {budget("etl", 104), budget("ads", 10)});
  EXPECT_FALSE(guard.why_not("etl")) << "the price of waiting holds it no closer";
  guard.planned(at(60), true, {budget("etl", 106), budget("ads", 10)});
  ASSERT_EQ(reason(guard, "etl"), LeftAlone::budget_overspent);
  EXPECT_THAT(guard.why_not("etl")->why, HasSubstr("106.00 USD of the 100.00 USD"));
  EXPECT_FALSE(guard.why_not("ads"));
  guard.planned(at(86460), true, {budget("etl", 1), budget("ads", 1)});
  EXPECT_FALSE(guard.why_not("etl")) << "a new day";
}

TEST(SteeringGuard, LeavesAllAloneWhereTheBudgetOfAllIsOverspentOrAsLongAsItStands) {
  SteeringGuard guard;
  guard.planned(at(0), true, {budget("", 200)});
  EXPECT_EQ(reason(guard, "etl"), LeftAlone::budget_overspent);
  guard.planned(at(1), true, {});
  EXPECT_FALSE(guard.why_not("etl")) << "nobody wants it any more";
  TargetReport wait = budget("etl", 1000);
  wait.kind = TargetKind::mean_wait;
  guard.planned(at(2), true, {wait});
  EXPECT_FALSE(guard.why_not("etl")) << "waits are no dollars";
}

TEST(SteeringGuard, LeavesNobodyAloneWhereItDoesNotFallBack) {
  SteeringGuard guard;
  guard.planned(at(0), false, {budget("etl", 200)});
  guard.planned(at(60), false, {budget("etl", 200)});
  ASSERT_TRUE(guard.why_not("etl"));
  guard.set_falls_back(false);
  EXPECT_FALSE(guard.why_not("etl"));
  EXPECT_FALSE(guard.why_not("ads"));
  guard.set_falls_back(true);
  EXPECT_TRUE(guard.why_not("etl")) << "the configuration may change while it runs";
}

TEST(SteeringGuard, LeavesAllAloneWhilePlansAreRefused) {
  SteeringGuard guard;
  guard.planned(at(0), false, {});
  guard.planned(at(59), false, {});
  EXPECT_FALSE(guard.why_not("etl"));
  guard.planned(at(60), false, {});
  EXPECT_EQ(reason(guard, "etl"), LeftAlone::plans_refused);
  guard.planned(at(70), true, {});
  guard.planned(at(359), true, {});
  EXPECT_EQ(reason(guard, "etl"), LeftAlone::plans_refused) << "one good plan is no proof";
  guard.planned(at(360), true, {});
  EXPECT_FALSE(guard.why_not("etl"));
}

TEST(SteeringGuard, ForgivesARefusedPlanThatAGoodOneFollows) {
  SteeringGuard guard;
  for (double second = 0; second < 600; second += 40) {
    guard.planned(at(second), false, {});
    guard.planned(at(second + 20), true, {});
    EXPECT_FALSE(guard.why_not("etl"));
  }
}

}  // namespace
}  // namespace lips
