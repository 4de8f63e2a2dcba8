#include "experiments/modified_fair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/modified_fair_scene.h"

namespace lips::experiments {
namespace {

FairShape small() { return {2, {6, 10, 16, 21, 25}, 30, 100}; }

TEST(ModifiedFairScene, IsThePapersTestbed) {
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

TEST(ModifiedFairScene, IsTheSameForTheSameSeedOnly) {
  const auto arrivals = [](std::uint64_t seed) {
    std::vector<TimePoint> times;
    for (const JobArrived& job : fair_scenario(small(), seed).jobs) times.push_back(job.job.arrival);
    return times;
  };
  EXPECT_EQ(arrivals(3), arrivals(3));
  EXPECT_NE(arrivals(3), arrivals(4));
}

TEST(ModifiedFairScene, RunsAllJobsUnderEachPolicy) {
  for (const char* policy : {"fair", "modified-fair", "hadoop-default", "capacity"}) {
    const FairFigures figures = fair_run(policy, fair_scenario(small(), 1), fair_settings());
    EXPECT_GT(figures.turnaround, 100) << policy;
    EXPECT_GT(figures.node_local, 0.05) << policy;
    EXPECT_LT(figures.node_local, 1) << policy;
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

}  // namespace
}  // namespace lips::experiments
