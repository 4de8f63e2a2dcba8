#include "simulation/run.h"

#include <gtest/gtest.h>

#include "tests/simulation/tiny_scenario.h"

namespace lips::simulation {
namespace {

using tiny::FirstFit;
using tiny::ScenarioBuilder;

RunResult run_first_fit(const Scenario& scenario, const Policy& policy = FirstFit()) {
  Result<RunResult> result = run(scenario, policy, "first-fit");
  EXPECT_TRUE(result.has_value());
  return result.value_or(RunResult{});
}

TEST(Run, BillsTheWorkOfEveryTaskOnce) {
  ScenarioBuilder builder;
  builder.node(0, 2, 0.01);
  builder.node(0, 1, 0.02, 2);  // twice as fast: 0.01 USD per CPU-second of work
  builder.computing_job(0, 4, 100);
  const RunResult result = run_first_fit(builder.scenario);
  EXPECT_EQ(result.jobs_finished, 1u);
  EXPECT_EQ(result.tasks_finished, 4u);
  // Two tasks on node 0 until 100 s; on node 1 one until 50 s and the next until 100 s.
  EXPECT_EQ(result.makespan, seconds(100));
  EXPECT_NEAR(result.bill.cpu.value(), 4 * 100 * 0.01, 1e-9);
  EXPECT_NEAR(result.bill.total().value(), 4.0, 1e-9);
  EXPECT_NEAR(result.nodes_all.value(), 100 * (2 * 0.01 + 0.02), 1e-9);
  EXPECT_NEAR(result.nodes_when_used.value(), 3600 * (2 * 0.01 + 0.02), 1e-9);
  EXPECT_NEAR(result.completion.mean, 100, 1e-9);
}

}  // namespace
}  // namespace lips::simulation
