// Jobs with targets of their own (completeBy, maxWait): what a run says of them.
#include <gtest/gtest.h>

#include "simulation/run.h"
#include "tests/simulation/tiny_scenario.h"

namespace lips::simulation {
namespace {

using tiny::ScenarioBuilder;

// Two jobs of ten minutes each on one core, one after the other.
ScenarioBuilder two_jobs() {
  ScenarioBuilder builder;
  builder.node(0, 1);
  builder.computing_job(0, 10, 60);
  builder.computing_job(0, 10, 60);
  return builder;
}

OwnTargets own_targets_of(const Scenario& scenario) {
  const Result<RunResult> result = run(scenario, tiny::FirstFit(), "first-fit");
  EXPECT_TRUE(result) << result.error().message;
  return result ? result->own_targets : OwnTargets{};
}

TEST(OwnTargets, AreCountedAndSayWhichJobMissedItsByHowMuch) {
  ScenarioBuilder builder = two_jobs();
  JobDue &first = builder.scenario.jobs[0].job.due, &second = builder.scenario.jobs[1].job.due;
  first.complete_by = tiny::at(600), second.complete_by = tiny::at(900);
  first.start_by = tiny::at(540), second.start_by = tiny::at(1000);  // the last tasks start after 540 s and 1140 s
  const OwnTargets own = own_targets_of(builder.scenario);
  EXPECT_EQ(own.complete_by.jobs, 2u);
  EXPECT_EQ(own.complete_by.missed, 1u);
  EXPECT_NEAR(to_seconds(own.complete_by.worst), 300, 5);
  EXPECT_EQ(own.complete_by.worst_job, "job1");
  EXPECT_EQ(own.max_wait.jobs, 2u);
  EXPECT_EQ(own.max_wait.missed, 1u);
  EXPECT_NEAR(to_seconds(own.max_wait.worst), 140, 5);
  EXPECT_EQ(own.max_wait.worst_job, "job1");
}

TEST(OwnTargets, OfJobsWithoutThemAreNone) {
  const OwnTargets own = own_targets_of(two_jobs().scenario);
  EXPECT_EQ(own.complete_by.jobs + own.max_wait.jobs, 0u);
  EXPECT_EQ(own.complete_by.missed + own.max_wait.missed, 0u);
}

TEST(OwnTargets, OfJobsThatCannotRunAreMissedOnceTheyArePast) {
  ScenarioBuilder builder = two_jobs();
  builder.scenario.jobs[1].job.request.cpu = Cores(2);  // no node is large enough
  builder.scenario.jobs[1].job.due = {tiny::at(300), tiny::at(60)};
  const OwnTargets own = own_targets_of(builder.scenario);
  EXPECT_EQ(own.complete_by.missed, 1u);
  EXPECT_EQ(own.max_wait.missed, 1u);
}

}  // namespace
}  // namespace lips::simulation
