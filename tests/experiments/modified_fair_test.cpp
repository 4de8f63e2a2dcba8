#include "experiments/modified_fair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "experiments/modified_fair_setup.h"

namespace lips::experiments {
namespace {

FairShape small() { return {2, {6, 10, 16, 21, 25}}; }

TEST(ModifiedFairSetup, IsThePapersTestbed) {
  const simulation::Scenario scenario = fair_scenario(small(), 1);
  EXPECT_EQ(scenario.cluster.nodes.size(), 8u);
  EXPECT_EQ(scenario.cluster.racks.size(), 2u);
  EXPECT_EQ(scenario.cluster.blocks.size(), 78u);
  EXPECT_EQ(scenario.jobs.size(), 5u);
  for (const Pool& pool : scenario.cluster.pools) {
    EXPECT_EQ(pool.minimum, Cores(3));
    EXPECT_EQ(pool.maximum, Cores(6));
  }
  for (const Node& node : scenario.cluster.nodes) EXPECT_EQ(node.capacity.slots, 3);
}

TEST(ModifiedFairSetup, IsTheSameForTheSameSeedOnly) {
  const auto arrivals = [](std::uint64_t seed) {
    std::vector<TimePoint> times;
    for (const JobArrived& job : fair_scenario(small(), seed).jobs) times.push_back(job.job.arrival);
    return times;
  };
  EXPECT_EQ(arrivals(3), arrivals(3));
  EXPECT_NE(arrivals(3), arrivals(4));
}

TEST(ModifiedFairSetup, RunsAllJobsUnderEachPolicy) {
  for (const char* policy : {"fair", "modified-fair", "hadoop-default", "capacity"}) {
    const FairFigures figures = fair_run(policy, fair_scenario(small(), 1), fair_settings());
    EXPECT_GT(figures.turnaround, 100) << policy;
    EXPECT_GT(figures.node_local, 0.05) << policy;
    EXPECT_LT(figures.node_local, 1) << policy;
  }
}

// Eleven maps on the 6 slots of a pool, each of speed 2/3; the second of a pool ends after the first.
TEST(ModifiedFairBound, DividesThePoolsMaximumAmongNothingButItsJobs) {
  const simulation::Scenario scenario = fair_scenario({2, {11, 11, 11, 6}, 0}, 1);
  const double map = 90 * 1.5, reduce = 20 * 1.5;
  double least = 0;
  std::vector<std::uint32_t> in_pool(3, 0);
  for (const JobArrived& arrived : scenario.jobs)  // the least job is beside its pool
    least += reduce + (arrived.job.map_tasks == 6 ? map : map * 11 / 6 * ++in_pool[arrived.job.pool.index()]);
  EXPECT_NEAR(least_turnaround_within_maxima(scenario), least / 4, 1e-6);
}

TEST(ModifiedFairBound, IsBelowWhatFairAndModifiedFairDo) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    const simulation::Scenario scenario = fair_scenario(small(), seed);
    const double bound = least_turnaround_within_maxima(scenario);
    for (const char* policy : {"fair", "modified-fair"})
      EXPECT_LT(bound, fair_run(policy, scenario, fair_settings()).turnaround) << policy;
  }
}

TEST(ModifiedFairExperiments, ComeOutInThePrintedDirection) {
  ExperimentRun run;
  run.seeds = 3;
  run.quick = true;
  for (const auto experiment : {modified_fair_a, modified_fair_b}) {
    const Result<ExperimentResult> result = experiment(run);
    ASSERT_TRUE(result.has_value());
    EXPECT_FALSE(result->claims.empty());
    EXPECT_FALSE(result->charts.empty());
    const Claim& first = result->claims.front();
    EXPECT_TRUE(first.agrees()) << first.what << ": " << ours_text(first);
  }
}

TEST(ModifiedFairExperiments, SayNothingOfRowsThatAQuickLookLeavesOut) {
  ExperimentRun run;
  run.seeds = 1;
  run.quick = true;
  const Result<ExperimentResult> result = modified_fair_b(run);
  ASSERT_TRUE(result.has_value());
  const auto rows = [&](std::string_view id) {
    return std::ranges::count_if(result->claims, [&](const Claim& claim) { return claim.id == id; });
  };
  EXPECT_GT(rows("fifo/1"), 0);
  EXPECT_EQ(rows("fifo/2"), 0);
}

}  // namespace
}  // namespace lips::experiments
