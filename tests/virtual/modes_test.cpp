// The modes in which kube-scheduler binds: what it places alone against the simulator's policy of its scores, and what
// the operator steers against what it binds itself.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/simulation/random_scenario.h"
#include "tests/virtual/binding_audit.h"
#include "tests/virtual/elastic_day.h"
#include "tests/virtual/two_doors.h"

namespace lips::virtual_cluster {
namespace {

ThroughOptions in_mode(PodMode mode, KubeQueueRules queue = {}) {
  ThroughOptions options;
  options.cluster.mode = mode;
  options.cluster.scheduler.queue = queue;
  return options;
}

struct Mean {
  double dollars = 0, completion = 0;
  int count = 0;
  void add(const BothDoors& both) {
    EXPECT_EQ(both.through.jobs_finished, both.through.jobs);
    EXPECT_EQ(both.through.attempts_lost, 0U) << "no kubelet refuses what is bound";
    dollars += in_dollars(both), completion += in_completion(both), ++count;
  }
  void expect_within(double of_dollars, double of_completion) const {
    EXPECT_NEAR(dollars / count, 0, of_dollars);
    EXPECT_NEAR(completion / count, 0, of_completion);
  }
};

// Clusters that lose no node, with stragglers, noise and shared data. Each alone may differ by tens of percent: scores
// are equal for many nodes, whose speeds and prices are not.
Mean over_random_clusters(const std::string& policy, const ThroughOptions& options) {
  Mean mean;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    simulation::Scenario scenario = simulation::tiny::random_scenario(seed);
    scenario.thinking = simulation::Thinking::free;
    if (scenario.failures.empty()) mean.add(run_both(scenario, policy, options));
  }
  EXPECT_GE(mean.count, 50);
  return mean;
}

// ---- watch ----

TEST(WatchMode, RandomClustersCostInTheMeanWhatTheSimulatorsPolicySays) {
  over_random_clusters("spread", in_mode(PodMode::watch)).expect_within(0.03, 0.03);
}

// kube-scheduler lets pods that came while there was no node wait for their back-off once there is one.
TEST(WatchMode, NodesThatAnAutoscalerBuysCostWhatTheSimulatorsPolicySays) {
  for (const char* policy : {"spread", "most-allocated"})
    for (const bool backs_off : {false, true})
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        SCOPED_TRACE(fmt::format("{}, seed {}{}", policy, seed, backs_off ? ", with back-offs" : ""));
        ThroughOptions options = in_mode(PodMode::watch, backs_off ? KubeQueueRules{} : first_come);
        if (std::string(policy) == "most-allocated") options.cluster.scheduler.scoring = KubeScoring::most_allocated;
        const BothDoors runs = run_both(elastic_day(seed), policy, options);
        EXPECT_EQ(runs.through.jobs_finished, 5U);
        EXPECT_NEAR(in_dollars(runs), 0, 0.015);
        EXPECT_NEAR(in_completion(runs), backs_off ? 0.037 : 0, 0.01);
      }
}

simulation::Scenario without_reduces(simulation::Scenario scenario) {
  for (JobArrived& arrived : scenario.jobs) {
    arrived.job.reduce_tasks = 0;
    arrived.job.shuffle = Mebibytes(0);
    arrived.tasks.resize(arrived.job.map_tasks);
  }
  return scenario;
}

// The simulator's policy serves jobs in the order of their arrival. kube-scheduler knows no jobs: a pod that has found
// no node is the last of the queue, and so are the reduces, which come when their maps have ended. Where neither is so,
// both doors take the same time, on a cluster that is full for minutes.
TEST(WatchMode, TheQueueOfKubeSchedulerAloneMakesJobsLater) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const simulation::Scenario maps = without_reduces(quickstart(seed));
    EXPECT_NEAR(in_completion(run_both(maps, "spread", in_mode(PodMode::watch, first_come))), 0, 0.002);
    EXPECT_NEAR(in_completion(run_both(quickstart(seed), "spread", in_mode(PodMode::watch, first_come))), 0.067, 0.02);
    EXPECT_NEAR(in_completion(run_both(quickstart(seed), "spread", in_mode(PodMode::watch))), 0.25, 0.05);
  }
}

// ---- steer ----

TEST(SteerMode, AFixedClusterCostsAndTakesTheSame) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const BothDoors runs = run_both(quickstart(seed), "lips", in_mode(PodMode::steer));
    EXPECT_EQ(runs.through.jobs_finished, runs.direct.jobs_finished);
    EXPECT_EQ(runs.through.tasks_finished, runs.direct.tasks_finished);
    EXPECT_NEAR(in_dollars(runs), 0, 0.03);
    EXPECT_NEAR(in_completion(runs), 0, 0.04);
  }
}

TEST(SteerMode, RandomClustersCostTheSameInTheMean) {
  over_random_clusters("lips", in_mode(PodMode::steer)).expect_within(0.03, 0.04);
}

// Whoever binds, the operator orders the same nodes.
TEST(SteerMode, NodesThatAreOrderedCostWhatTheyDoWhereTheOperatorBinds) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const simulation::Scenario scenario = morning_of_few_jobs(seed);
    const simulation::RunResult bound = through(scenario, "lips"),
                                steered = through(scenario, "lips", in_mode(PodMode::steer));
    EXPECT_EQ(steered.jobs_finished, bound.jobs_finished);
    EXPECT_NEAR(difference(bound.invoice.total().value(), steered.invoice.total().value()), 0, 0.02);
    EXPECT_NEAR(difference(bound.completion.mean, steered.completion.mean), 0, 0.05);
  }
}

// ---- both ----

// Nodes that fail with their data, nodes that are bought and go, stragglers, jobs with reduces, requests of all sizes.
TEST(Modes, EveryPodIsBoundOnceWhereThereIsRoomAndEveryJobEnds) {
  for (const PodMode mode : {PodMode::watch, PodMode::steer})
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      SCOPED_TRACE(std::string(to_string(mode)) + ", seed " + std::to_string(seed));
      simulation::Scenario scenario = seed % 4 == 0 ? elastic_day(seed) : simulation::tiny::random_scenario(seed);
      if (seed % 4 == 1) simulation::tiny::add_sizes(seed, scenario);
      scenario.thinking = simulation::Thinking::free;
      ThroughOptions options = in_mode(mode);
      BindingAudit audit;
      std::vector<std::string> wrong;
      options.at_start = [&](VirtualKubernetes& cluster) { audit.watch(cluster); };
      options.at_end = [&](VirtualKubernetes& cluster) { wrong = cluster.wrong(); };
      const simulation::RunResult run = through(scenario, mode == PodMode::watch ? "spread" : "lips", options);
      EXPECT_THAT(wrong, testing::IsEmpty());
      EXPECT_THAT(audit.violations(), testing::IsEmpty());
      EXPECT_GE(audit.bound(), run.tasks_finished);
      if (scenario.failures.empty()) {
        EXPECT_EQ(run.jobs_finished, run.jobs);
        EXPECT_EQ(run.tasks_finished, run.tasks);
      }
    }
}

}  // namespace
}  // namespace lips::virtual_cluster
