#include "targets/ledger.h"

#include <gtest/gtest.h>

#include "simulation/run.h"
#include "tests/simulation/tiny_scenario.h"

namespace lips {
namespace {

using simulation::DayFigures;
using simulation::RunOptions;
using simulation::RunResult;
using simulation::Scenario;
using simulation::tiny::FirstFit;
using simulation::tiny::ScenarioBuilder;

RunResult measured(const Scenario& scenario) {
  RunOptions options;
  options.by_day = true;
  Result<RunResult> result = run(scenario, FirstFit(), "first-fit", options);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return result.value_or(RunResult{});
}

TEST(TargetLedger, CountsDollarsAndWaitsOnTheDayOfTheirStart) {
  ScenarioBuilder builder;
  builder.node(0, 1, 0.01);
  builder.computing_job(0, 3, 100);
  builder.computing_job(24 * 3600 + 50, 2, 300);
  builder.scenario.billing = Billing::use;
  const RunResult result = measured(builder.scenario);
  ASSERT_EQ(result.by_day.size(), 2u);
  EXPECT_NEAR(result.by_day[0].dollars.value(), 3, 1e-6);
  EXPECT_NEAR(result.by_day[0].mean_wait, (0 + 100 + 200) / 3.0, 1e-3);
  EXPECT_NEAR(result.by_day[1].dollars.value(), 6, 1e-6);
  EXPECT_NEAR(result.by_day[1].mean_wait, 150, 1e-3);
}

TEST(TargetLedger, ChargesLostAttemptsAsTheBillDoes) {
  ScenarioBuilder builder;
  const NodeId node = builder.node(0, 2, 0.01);
  builder.node(0, 2, 0.02, 2);
  builder.computing_job(0, 9, 1000);
  builder.scenario.billing = Billing::use;
  builder.scenario.duration_noise = 0.4;
  builder.scenario.failures.push_back({node, simulation::tiny::at(400), seconds(100), false});
  const RunResult result = measured(builder.scenario);
  EXPECT_GT(result.attempts_lost, 0u);
  ASSERT_EQ(result.by_day.size(), 1u);
  EXPECT_NEAR(result.by_day[0].dollars.value(), result.bill.total().value(), 1e-6);
}

// The price of a core-second in the bill, not in the sheet.
TEST(TargetLedger, MeasuresAtTheTruePricesWhateverPlansBelieve) {
  ScenarioBuilder builder;
  builder.node(0, 1, 0.01);
  builder.computing_job(0, 3, 100);
  builder.scenario.billing = Billing::use;
  builder.scenario.price_error = 0.2;
  EXPECT_NE(builder.scenario.at_start().nodes[NodeId(0)].price, builder.scenario.cluster.nodes[NodeId(0)].price);
  const RunResult result = measured(builder.scenario);
  ASSERT_EQ(result.by_day.size(), 1u);
  EXPECT_NEAR(result.by_day[0].dollars.value(), 3, 1e-6);
}

TEST(TargetLedger, CountsTheHoursOfNodesWhereAnInvoiceIsPlannedFor) {
  ScenarioBuilder builder;
  builder.node(0, 1, 0.01);  // 36 USD an hour
  builder.computing_job(0, 1, 3600);
  builder.computing_job(3600, 1, 3600);
  builder.scenario.billing = Billing::invoice;
  const RunResult result = measured(builder.scenario);
  ASSERT_EQ(result.by_day.size(), 1u);
  EXPECT_NEAR(result.by_day[0].dollars.value(), 72, 0.1);
}

}  // namespace
}  // namespace lips
