#include "experiments/lips_paper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/simulated_runs.h"

namespace lips::experiments {
namespace {

ExperimentRun few(std::uint32_t seeds) {
  ExperimentRun run;
  run.seeds = seeds;
  run.threads = 2;
  run.quick = true;
  run.config_folder = LIPS_SOURCE_DIR "/config";
  run.simulated = std::make_shared<SimulatedRuns>();
  return run;
}

const Claim& find(const Result<ExperimentResult>& result, std::string_view id) {
  static const Claim none;
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return none;
  }
  for (const Claim& claim : result->claims)
    if (claim.id == id) return claim;
  ADD_FAILURE() << "no claim " << id;
  return none;
}

TEST(LipsFigure1, KeepsGrepByEcuAndMovesItByTheCaption) {
  const auto result = lips_fig1(few(1));
  EXPECT_NEAR(find(result, "Grep/ecu").ours.at(0).mean, 26.0 - 62.5, 1e-9);
  EXPECT_NEAR(find(result, "Grep/caption").ours.at(0).mean, 70.4 - 62.5, 1e-9);
  EXPECT_TRUE(find(result, "Grep/ecu").agrees());
  EXPECT_FALSE(find(result, "Grep/caption").agrees());
  EXPECT_TRUE(find(result, "WordCount/ecu").agrees());
}

TEST(LipsFigure5, SavesAboutThirtyPerCentOnTenNodesAndMoreOnMore) {
  const auto result = lips_fig5(few(15));
  const Claim& small = find(result, "200/10/19000");
  EXPECT_TRUE(small.agrees()) << ours_text(small);
  EXPECT_GT(find(result, "400/30/19000").ours.at(0).mean, small.ours.at(0).mean + 10);
}

TEST(LipsFigure6, StaysWithinWhatTheBoundAllowsInEverySetting) {
  const auto result = lips_fig6(few(2));
  ASSERT_TRUE(result) << result.error().message;
  for (const Chart& chart : result->charts) {
    const Curve& bound = chart.curves.back();
    ASSERT_EQ(bound.name, "lower bound");
    for (const Curve& curve : chart.curves)
      for (std::size_t i = 0; i < curve.points.size(); ++i)
        EXPECT_GE(curve.points[i].y, bound.points[i].y * (1 - 1e-9)) << curve.name << " " << chart.categories[i];
  }
  EXPECT_FALSE(find(result, "table-iv-i/caption/paper-delay").agrees());
  EXPECT_TRUE(find(result, "table-iv-iii/caption/paper-2400-crossings").agrees());
}

TEST(LipsFigure8, FallsInDollarsAndRisesInTimeWithTheEpochButNotAtEachStep) {
  const auto result = lips_fig8(few(2));
  EXPECT_TRUE(find(result, "caption/dollars").agrees());
  EXPECT_TRUE(find(result, "caption/makespan").agrees());
  EXPECT_GE(find(result, "caption/dollar-steps").ours.at(0).mean, 1);
}

TEST(LipsFigure11, SpreadsTheWorkMoreEvenlyAtTheShorterEpoch) {
  const auto result = lips_fig11(few(2));
  EXPECT_TRUE(find(result, "evenness/600").agrees());
  EXPECT_TRUE(find(result, "dear-share/600").agrees());
}

TEST(SimulatedRuns, AreRunOnceAndKept) {
  const ExperimentRun run = few(1);
  const SimulatedRun one{"quickstart", {{"seed", "3"}}, "delay"};
  const auto first = simulate(run, {one});
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_NE(run.simulated->find(one.key()), nullptr);
  EXPECT_EQ(dollars(run.simulated->find(one.key())[0]), dollars((*first)[0]));
  SimulatedRun other = one;
  other.set = {{"seed", "4"}};
  EXPECT_EQ(run.simulated->find(other.key()), nullptr);
}

TEST(SimulatedRuns, FailWithAReasonWhenThereIsNoSuchScenarioOrPolicy) {
  EXPECT_FALSE(simulate(few(1), {{"no-such-scenario", {}, "delay"}}));
  EXPECT_FALSE(simulate(few(1), {{"quickstart", {}, "no-such-policy"}}));
}

TEST(PercentBelow, ComparesSeedBySeed) {
  const Spread spread = percent_below({50, 90}, {100, 100});
  EXPECT_DOUBLE_EQ(spread.mean, 30);
  EXPECT_DOUBLE_EQ(spread.least, 10);
  EXPECT_DOUBLE_EQ(spread.most, 50);
}

}  // namespace
}  // namespace lips::experiments
