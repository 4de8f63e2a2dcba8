// Tasks that are taken back, in closed loops: the pools that ask get what they are entitled to, nobody else loses what
// is his, and it comes to an end.
#include <gtest/gtest.h>

#include <iostream>
#include <memory>

#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "tests/simulation/auditor.h"
#include "tests/simulation/reclaim_world.h"

namespace lips::simulation {
namespace {

std::unique_ptr<Policy> lips_for(const Scenario& scenario) {
  Result<std::unique_ptr<Policy>> made = make_policy("lips", scenario.settings);
  EXPECT_TRUE(made.has_value());
  return std::move(*made);
}

TEST(Reclaim, HoldsWhatItPromisesInRandomClosedLoops) {
  const auto [first, runs] = reclaim_seeds(1000);
  ReclaimWatch::Count sum;
  for (std::uint64_t seed = first; seed < first + runs; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scenario scenario = reclaim_scenario(seed);
    const std::unique_ptr<Policy> lips = lips_for(scenario);
    const CheckedPolicy checked(*lips);
    const ReclaimWatch watched(checked);
    audit(scenario, watched);
    ASSERT_EQ(watched.fault(), "");
    if (::testing::Test::HasFailure()) return;
    const ReclaimWatch::Count& count = watched.count();
    // Each ends for a start, and the smallest task is an eighth of the largest.
    EXPECT_LE(count.reclaims, 8 * count.starts);
    sum.reclaims += count.reclaims, sum.quiet += count.quiet, sum.checked += count.checked, sum.starts += count.starts;
    sum.plans += count.plans;
  }
  std::cout << sum.plans << " plans, " << sum.starts << " starts, " << sum.reclaims << " reclaims, " << sum.quiet
            << " quiet, " << sum.checked << " looked at\n";
  EXPECT_GT(sum.reclaims, 2 * runs);
  EXPECT_GT(sum.quiet, runs);
  EXPECT_GT(sum.checked, runs);
}

TEST(Reclaim, IsMadeNowhereWhereNoPoolAsksForIt) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Scenario scenario = reclaim_scenario(seed, {.reclaims = 0});
    const std::unique_ptr<Policy> lips = lips_for(scenario);
    const ReclaimWatch watched(*lips);
    audit(scenario, watched);
    EXPECT_EQ(watched.count().reclaims, 0u);
    EXPECT_EQ(watched.fault(), "");
  }
}

// Bindings that are refused, lost or not answered, and events that come late or twice.
TEST(Reclaim, ComesToAnEndWhereMessagesAreLost) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scenario scenario = reclaim_scenario(seed);
    const std::unique_ptr<Policy> lips = lips_for(scenario);
    const CheckedPolicy checked(*lips);
    Faults faults;
    faults.seed = seed;
    audit(scenario, checked, faults);
    if (::testing::Test::HasFailure()) return;
  }
}

// Two of four tasks that have run for 600 seconds, and 30 more until they have ended.
TEST(Reclaim, IsCountedWithItsLostWork) {
  tiny::ScenarioBuilder builder;
  builder.node(0, 4, 0.01);
  const PoolId second = builder.pool("second");
  builder.scenario.cluster.pools[second].reclaim = ReclaimRule::from_borrowers;
  builder.computing_job(0, 4, 10'000);
  builder.computing_job(600, 4, 1000).job.pool = second;
  const auto result = [&] { return run(builder.scenario, *lips_for(builder.scenario), "lips", {}).value(); };
  const RunResult taken = result();
  EXPECT_EQ(taken.jobs_finished, 2u);
  EXPECT_EQ(taken.reclaimed.tasks, 2u);
  EXPECT_EQ(taken.attempts_lost, 2u);
  EXPECT_NEAR(taken.reclaimed.lost.value(), 2 * 630 * 0.01, 1e-6);
  EXPECT_NEAR(taken.lost_work.value(), taken.reclaimed.lost.value(), 1e-9);
  builder.scenario.cluster.pools[second].reclaim = ReclaimRule::never;
  const RunResult never = result();
  EXPECT_EQ(never.reclaimed.tasks, 0u);
  EXPECT_GT(taken.makespan, never.makespan) << "work was lost";
  EXPECT_GT(taken.invoice.total(), never.invoice.total()) << "its node-hours were paid";
}

}  // namespace
}  // namespace lips::simulation
