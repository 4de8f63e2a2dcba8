// Tasks that give way to others of a higher priority, in closed loops: whoever is urgent starts within one graceful end
// where such tasks run, nobody else loses what is his, and it comes to an end.
#include <gtest/gtest.h>

#include <iostream>
#include <memory>

#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "tests/simulation/auditor.h"
#include "tests/simulation/reclaim_world.h"

namespace lips::simulation {
namespace {

std::unique_ptr<Policy> policy_for(const Scenario& scenario) {
  Result<std::unique_ptr<Policy>> made = make_policy("lips", scenario.settings);
  EXPECT_TRUE(made.has_value());
  return std::move(*made);
}

ReclaimWatch::Count watched_runs(const ReclaimWorld& world, std::uint64_t runs) {
  ReclaimWatch::Count sum;
  const auto [first, count_of_seeds] = reclaim_seeds(runs);
  for (std::uint64_t seed = first; seed < first + count_of_seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scenario scenario = reclaim_scenario(seed, world);
    const std::unique_ptr<Policy> lips = policy_for(scenario);
    const CheckedPolicy checked(*lips);
    const ReclaimWatch watched(checked);
    audit(scenario, watched);
    EXPECT_EQ(watched.fault(), "");
    if (::testing::Test::HasFailure()) return sum;
    const ReclaimWatch::Count& count = watched.count();
    sum.reclaims += count.reclaims, sum.preempted += count.preempted, sum.quiet += count.quiet;
    sum.checked += count.checked, sum.starts += count.starts, sum.plans += count.plans;
  }
  std::cout << sum.plans << " plans, " << sum.starts << " starts, " << sum.reclaims << " reclaims, " << sum.preempted
            << " of them for priority, " << sum.quiet << " quiet, " << sum.checked << " looked at\n";
  return sum;
}

TEST(Preemption, HoldsWhatItPromisesInRandomClosedLoops) {
  const ReclaimWatch::Count count = watched_runs({.reclaims = 0, .preempts = 1}, 400);
  EXPECT_EQ(count.reclaims, count.preempted) << "no pool takes anything from others";
  EXPECT_GT(count.preempted, 400u);
}

TEST(Preemption, HoldsBesidePoolsThatTakeTasksBack) {
  const ReclaimWatch::Count count = watched_runs({.preempts = 0.7}, 200);
  EXPECT_GT(count.preempted, 100u);
  EXPECT_GT(count.reclaims - count.preempted, 100u);
}

TEST(Preemption, IsMadeByNobodyWhoNeverPreempts) {
  EXPECT_EQ(watched_runs({.reclaims = 0, .preempts = 0}, 30).reclaims, 0u);
}

// Bindings that are refused, lost or not answered, and events that come late or twice.
TEST(Preemption, ComesToAnEndWhereMessagesAreLost) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scenario scenario = reclaim_scenario(seed, {.reclaims = 0.3, .preempts = 1});
    const std::unique_ptr<Policy> lips = policy_for(scenario);
    const CheckedPolicy checked(*lips);
    Faults faults;
    faults.seed = seed;
    audit(scenario, checked, faults);
    if (::testing::Test::HasFailure()) return;
  }
}

// One of two tasks that have run for 600 seconds, and 30 more until it has ended; then the urgent task starts.
TEST(Preemption, IsCountedWithItsLostWork) {
  tiny::ScenarioBuilder builder;
  builder.node(0, 2, 0.01);
  builder.computing_job(0, 2, 10'000);
  builder.computing_job(600, 1, 100).job.priority = 10;
  const auto result = [&] { return run(builder.scenario, *policy_for(builder.scenario), "lips", {}).value(); };
  const RunResult taken = result();
  EXPECT_EQ(taken.reclaimed.tasks, 1u);
  EXPECT_NEAR(taken.reclaimed.lost.value(), 630 * 0.01, 1e-6);
  EXPECT_NEAR(taken.lost_work.value(), taken.reclaimed.lost.value(), 1e-9);
  builder.scenario.jobs.back().job.preempts = false;
  const RunResult never = result();
  EXPECT_EQ(never.reclaimed.tasks, 0u);
  EXPECT_GT(taken.makespan, never.makespan) << "work was lost";
}

}  // namespace
}  // namespace lips::simulation
