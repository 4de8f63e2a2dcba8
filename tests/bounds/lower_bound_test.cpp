#include "bounds/lower_bound.h"

#include <gtest/gtest.h>

#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/whole_run.h"
#include "tests/simulation/random_scenario.h"

namespace lips::simulation {
namespace {

using tiny::FirstFit;
using tiny::ScenarioBuilder;

TEST(LowerBound, FillsTheCheapNodesFirstWithinTheHorizon) {
  ScenarioBuilder builder;
  builder.node(0, 1, 0.01);
  builder.node(0, 1, 0.03);
  builder.computing_job(0, 10, 10);
  // 100 units of work: all on the cheap node in 100 s; in 60 s 60 there and 40 on the dear one.
  EXPECT_NEAR(least_dollars(whole_run(builder.scenario), seconds(100))->dollars.value(), 1.0, 1e-6);
  EXPECT_NEAR(least_dollars(whole_run(builder.scenario), seconds(60))->dollars.value(), 0.6 + 1.2, 1e-6);
  EXPECT_EQ(least_dollars(whole_run(builder.scenario), seconds(49)).error().code, ErrorCode::invalid_input);
}

TEST(LowerBound, WeighsTransferAgainstPrice) {
  ScenarioBuilder builder(2, UsdPerMebibyte(0.002));
  builder.node(0, 1, 0.05);
  builder.node(1, 1, 0.01);
  builder.reading_job(0, builder.data(Mebibytes(100), {StoreId(0)}), 10);   // 0.2 to move, 0.4 saved
  builder.reading_job(0, builder.data(Mebibytes(1000), {StoreId(0)}), 10);  // 2.0 to move, 0.4 saved
  const double bound = least_dollars(whole_run(builder.scenario), seconds(1000))->dollars.value();
  EXPECT_LE(bound, 0.1 + 0.2 + 0.5);
  EXPECT_NEAR(bound, 0.1 + 0.2 + 0.5, 0.2 * 0.02);  // ratios are rounded down by 2 % at most
}

TEST(LowerBound, ReadersOfOneBlockMayShareItsCopy) {
  ScenarioBuilder builder(2, UsdPerMebibyte(0.002));
  builder.node(0, 1, 0.05);
  builder.node(1, 1, 0.01);
  const DataSetId data = builder.data(Mebibytes(100), {StoreId(0)});
  for (int i = 0; i < 4; ++i) builder.reading_job(0, data, 10);
  const double bound = least_dollars(whole_run(builder.scenario), seconds(1000))->dollars.value();
  EXPECT_LE(bound, 4 * 0.1 + 0.2);
  EXPECT_NEAR(bound, 4 * 0.1 + 0.2, 0.2 * 0.02);
}

TEST(LowerBound, RespectsEligibilityAndSlots) {
  ScenarioBuilder builder;
  builder.node(0, 4, 0.01);
  builder.node(0, 8, 0.03);
  builder.computing_job(0, 1, 10);
  builder.scenario.jobs[0].job.request.cpu = Cores(6);  // only on the dear node
  EXPECT_NEAR(least_dollars(whole_run(builder.scenario), seconds(100))->dollars.value(), 0.3, 1e-6);
  builder.scenario.jobs[0].job.request.cpu = Cores(1);
  builder.scenario.jobs[0].tasks[0].cpu = CpuSeconds(1000);
  builder.scenario.cluster.nodes[NodeId(0)].capacity.slots = 1;
  // One slot of one core for 500 s on the cheap node, the rest on the dear one.
  EXPECT_NEAR(least_dollars(whole_run(builder.scenario), seconds(500))->dollars.value(), 5 + 15, 1e-6);
}

TEST(LowerBound, IsAtMostTheBillOfEveryPolicy) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    const Scenario scenario = tiny::random_scenario(seed);
    const auto compare = [&](const Policy& policy, std::string_view name) {
      SCOPED_TRACE(name);
      const Result<RunResult> result = run(scenario, policy, std::string(name));
      ASSERT_TRUE(result.has_value());
      if (result->jobs_finished < result->jobs) return;
      const Result<LowerBound> bound = least_dollars(whole_run(scenario), result->makespan);
      ASSERT_TRUE(bound.has_value()) << bound.error().message;
      EXPECT_LE(bound->dollars.value(), result->bill.total().value() * (1 + 1e-9));
      EXPECT_GT(bound->dollars.value(), 0);
      EXPECT_NEAR(bound->dollars.value(), bound->solver_optimum.value(), 1e-5 * bound->solver_optimum.value());
      ++compared;
    };
    compare(FirstFit(), "first-fit");
    for (const PolicyEntry& entry : policy_registry()) compare(*entry.make({}), entry.name);
  }
  EXPECT_GT(compared, 50);
}

}  // namespace
}  // namespace lips::simulation
