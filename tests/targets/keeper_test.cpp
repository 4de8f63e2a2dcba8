#include "targets/keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"
#include "tests/simulation/tiny_scenario.h"

namespace lips {
namespace {

using simulation::RunResult;
using simulation::Scenario;
using simulation::TargetOutcome;
using simulation::tiny::ScenarioBuilder;
using ::testing::HasSubstr;

RunResult run_lips(const Scenario& scenario) {
  const Result<std::unique_ptr<Policy>> policy = make_policy("lips", scenario.settings);
  Result<RunResult> result = run(scenario, **policy, "lips");
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return result.value_or(RunResult{});
}

// Two days of a task of so many seconds every ten minutes, on a node of one core.
ScenarioBuilder steady(double task_seconds, Billing billing) {
  ScenarioBuilder builder;
  builder.node(0, 1, 0.01);
  for (int i = 0; i < 2 * 144; ++i) builder.computing_job(600.0 * i, 1, task_seconds);
  builder.scenario.billing = builder.scenario.settings.lips.billing = billing;
  return builder;
}

TEST(TargetKeeper, RefusesABudgetBelowTheFixedNodesAtTheFirstPlan) {
  ScenarioBuilder builder = steady(60, Billing::invoice);
  builder.scenario.settings.targets.budget_per_day = Usd(800);  // the node costs 864 a day
  const RunResult result = run_lips(builder.scenario);
  ASSERT_EQ(result.targets.size(), 1u);
  ASSERT_TRUE(result.targets[0].refused);
  EXPECT_EQ(*result.targets[0].refused, Duration(0));
  EXPECT_THAT(result.targets[0].why, HasSubstr("fixed nodes alone cost 864.00 USD"));
}

TEST(TargetKeeper, RefusesABudgetBelowTheCheapestWorkOnTheFirstDay) {
  ScenarioBuilder builder = steady(300, Billing::use);
  builder.scenario.settings.targets.budget_per_day = Usd(400);  // 144 x 300 s at 0.01
  const RunResult result = run_lips(builder.scenario);
  ASSERT_TRUE(result.targets.at(0).refused);
  EXPECT_LT(*result.targets[0].refused, one_day);
  EXPECT_THAT(result.targets[0].why, HasSubstr("costs at least 4"));
}

TEST(TargetKeeper, RefusesAWaitWhereMoreArrivesThanNodesCanDo) {
  ScenarioBuilder builder = steady(900, Billing::use);
  builder.scenario.settings.targets.mean_wait = seconds(60);
  const RunResult result = run_lips(builder.scenario);
  ASSERT_TRUE(result.targets.at(0).refused);
  EXPECT_LT(*result.targets[0].refused, one_day);
  EXPECT_THAT(result.targets[0].why, HasSubstr("it takes about 1 more core"));
}

// Once a day an hour's work comes at once.
ScenarioBuilder bursts(int days) {
  ScenarioBuilder builder;
  builder.node(0, 1, 0.01);
  for (int day = 0; day < days; ++day) builder.computing_job(86400.0 * day + 8 * 3600, 60, 60);
  builder.scenario.billing = builder.scenario.settings.lips.billing = Billing::use;
  return builder;
}

TEST(TargetKeeper, RefusesAWaitThatNoOrderOfTasksReaches) {
  ScenarioBuilder builder = bursts(3);
  builder.scenario.settings.targets.mean_wait = seconds(1200);  // half an hour at least
  const RunResult result = run_lips(builder.scenario);
  ASSERT_TRUE(result.targets.at(0).refused);
  EXPECT_LT(*result.targets[0].refused, one_day);
  EXPECT_THAT(result.targets[0].why, HasSubstr("even if all nodes did the shortest tasks first"));
  EXPECT_THAT(result.targets[0].why, HasSubstr("it takes about 1 more core"));
}

// A long task holds the node while many short ones come; those of the afternoon find it free.
TEST(TargetKeeper, RefusesAWaitThatABurstExceedsDayAfterDay) {
  ScenarioBuilder builder;
  builder.node(0, 1, 0.01);
  for (int day = 0; day < 4; ++day) {
    const double eight = 86400.0 * day + 8 * 3600;
    builder.computing_job(eight, 1, 3600);
    builder.computing_job(eight + 60, 60, 10);
    for (int i = 0; i < 60; ++i) builder.computing_job(eight + 5400 + 300 * i, 1, 10);
  }
  builder.scenario.billing = builder.scenario.settings.lips.billing = Billing::use;
  builder.scenario.settings.targets.mean_wait = seconds(1500);
  const RunResult result = run_lips(builder.scenario);
  ASSERT_TRUE(result.targets.at(0).refused);
  EXPECT_GT(*result.targets[0].refused, std::chrono::hours(47));
  EXPECT_LT(*result.targets[0].refused, 3 * one_day);
  EXPECT_THAT(result.targets[0].why, HasSubstr("with waits as dear as they get"));
}

TEST(TargetKeeper, RefusesNoWaitThatIsHeld) {
  ScenarioBuilder builder = bursts(3);
  builder.scenario.settings.targets.mean_wait = seconds(2400);
  const RunResult result = run_lips(builder.scenario);
  EXPECT_FALSE(result.targets.at(0).refused) << result.targets[0].why;
  for (const double reached : result.targets[0].by_day) EXPECT_LT(reached, 2400);
}

// As if the hours until then were like all of the day.
TEST(TargetKeeper, RefusesNothingForABusyMorning) {
  ScenarioBuilder builder;
  builder.node(0, 1, 0.01);
  for (int i = 0; i < 48; ++i) builder.computing_job(600.0 * i, 1, 700);  // 9.3 of the first 8 hours, and no more
  builder.scenario.billing = builder.scenario.settings.lips.billing = Billing::use;
  builder.scenario.settings.targets.mean_wait = seconds(3600);
  builder.scenario.settings.targets.budget_per_day = Usd(400);  // 336
  const RunResult result = run_lips(builder.scenario);
  for (const TargetOutcome& target : result.targets) EXPECT_FALSE(target.refused) << target.why;
}

TEST(TargetKeeper, RefusesADeadlineThatFullSpeedMisses) {
  ScenarioBuilder builder;
  builder.node(0, 2, 0.01);
  builder.computing_job(0, 20, 3600);  // ten hours on two cores
  builder.scenario.billing = builder.scenario.settings.lips.billing = Billing::use;
  builder.scenario.settings.targets.complete_by = std::chrono::hours(6);
  const RunResult result = run_lips(builder.scenario);
  ASSERT_EQ(result.targets.size(), 1u);
  ASSERT_TRUE(result.targets[0].refused);
  EXPECT_LT(*result.targets[0].refused, seconds(60));
  EXPECT_THAT(result.targets[0].why, HasSubstr("more cores"));
  EXPECT_NEAR(result.targets[0].by_day.at(0), 4 * 3600, 60);  // late
}

// Dear cores beside cheap ones: with time to spare the work waits for the cheap ones, and is done when it must be.
TEST(TargetKeeper, WaitsForCheapCoresAsLongAsTheDeadlineAllows) {
  const auto result_by = [](std::optional<int> hour) {
    ScenarioBuilder builder;
    builder.node(0, 1, 0.001);
    builder.node(0, 3, 0.01);
    builder.computing_job(0, 16, 900);  // four hours on the cheap core
    builder.scenario.billing = builder.scenario.settings.lips.billing = Billing::use;
    builder.scenario.settings.lips.fast_path_limit = Usd(0);
    builder.scenario.settings.lips.waiting_price = 4;
    if (hour) builder.scenario.settings.targets.complete_by = std::chrono::hours(*hour);
    return run_lips(builder.scenario);
  };
  const RunResult early = result_by(2), late = result_by(20), none = result_by(std::nullopt);
  EXPECT_LE(early.targets.at(0).by_day.at(0), 0);
  EXPECT_LE(late.targets.at(0).by_day.at(0), 0);
  EXPECT_FALSE(early.targets[0].refused);
  EXPECT_LT(late.bill.total(), early.bill.total());
  EXPECT_LT(late.bill.total(), none.bill.total());
}

TEST(TargetKeeper, GoesOnWithTheDebtsThatTheClusterKeeps) {
  const Targets wanted{Usd(500), seconds(600), {}};
  ClusterSnapshot cluster;
  cluster.pools.push_back({"etl", 1, {}, {}, {}, wanted});
  cluster.target_debts = {{"", 0.01, -0.2}, {"etl", 0, 0.3}};
  TargetKeeper keeper({[&] { return wanted; }, Billing::use}, CostModel());
  const double factor = keeper.factors(cluster)[PoolId(0)];
  EXPECT_NE(factor, 1);
  EXPECT_FALSE(keeper.to_remember(cluster.now));  // as it is kept
  EXPECT_EQ(keeper.to_remember(cluster.now + std::chrono::minutes(5)), cluster.target_debts);
  TargetKeeper other({[&] { return wanted; }, Billing::use}, CostModel());
  cluster.target_debts = *keeper.to_remember(cluster.now + std::chrono::minutes(10));
  EXPECT_EQ(other.factors(cluster)[PoolId(0)], factor);
}

TEST(TargetKeeper, ChangesNoPriceWithoutATarget) {
  TargetKeeper keeper({[] { return Targets{}; }, Billing::use}, CostModel());
  ClusterSnapshot cluster;
  cluster.pools.push_back({"a", 1, {}, {}, {}});
  cluster.pools.push_back({"b", 1, {}, {}, {}});
  EXPECT_EQ(keeper.factors(cluster), (IdVector<PoolId, double>(2, 1.0)));
  EXPECT_TRUE(keeper.reports().empty());
}

TEST(ArrivingDay, ScalesWhatIsKnownToADayAndThenCountsTheLastOne) {
  ArrivingDay day;
  const auto at = [](double hour) { return TimePoint(seconds(3600 * hour)); };
  EXPECT_FALSE(day.expected(at(0)));
  for (int quarter = 0; quarter <= 4 * 48; ++quarter) {
    day.add(at(quarter / 4.0), {25, 1});
    if (quarter < 4) {
      EXPECT_FALSE(day.expected(at(quarter / 4.0)));
    }
    if (quarter > 40) {
      EXPECT_NEAR(day.expected(at(quarter / 4.0))->work, 2400, 250) << quarter;
    }
  }
  for (int quarter = 4 * 48 + 1; quarter <= 4 * 80; ++quarter) day.add(at(quarter / 4.0), {});
  EXPECT_EQ(day.expected(at(80))->work, 0);
}

}  // namespace
}  // namespace lips
