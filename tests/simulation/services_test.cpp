// Pods beside the tasks: where kube-scheduler's stand-in puts them, which nodes they hold, and what they cost.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/random.h"
#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"
#include "simulation/simulated_cluster.h"
#include "tests/simulation/auditor.h"
#include "tests/simulation/tiny_scenario.h"

namespace lips::simulation {
namespace {

using tiny::at;
using tiny::ScenarioBuilder;

constexpr const char* machines =
    "name: day\nzones: [a]\nnodes:\n  - {name: fixed, count: 1, cores: 4, pricePerHour: 0.36}\n"
    "  - {name: m, fleet: elastic, limit: 6, cores: 4, pricePerHour: 0.36, bootTime: 40s}\n";

Scenario scenario_of(const std::string& text) {
  ScenarioOptions options;
  options.config_folder = std::string(LIPS_SOURCE_DIR) + "/config";
  Result<Scenario> read = parse_scenario("day.yaml", text, options);
  EXPECT_TRUE(read) << read.error().message;
  return *std::move(read);
}

RunResult run_under(const Scenario& scenario, const std::string& policy) {
  Result<RunResult> result = run(scenario, **make_policy(policy, scenario.settings), policy);
  EXPECT_TRUE(result) << result.error().message;
  return *std::move(result);
}

// The names of the nodes that services are on, with their pods, at a time.
std::map<std::string, std::uint32_t> places_at(const Scenario& scenario, double time,
                                               ServiceScore score = ServiceScore::least_allocated) {
  RunListener nobody;
  SimulatedCluster cluster(scenario, {}, nobody, score);
  while (cluster.now() < at(time))
    if (!cluster.wait(at(time))) break;
  std::map<std::string, std::uint32_t> places;
  for (const ServicePods& service : cluster.services()) {
    for (const auto& [node, pods] : service.on) places[node] += pods;
    if (service.waiting > 0) places["waiting"] += service.waiting;
  }
  return places;
}

const std::string one_job = "jobs:\n  - {name: j, tasks: 1, cpuPerTask: 10}\n";

TEST(Services, GoToTheLeastAllocatedNodeOrBesideMostAllocatedToTheMost) {
  const std::string two = "name: day\nzones: [a]\nnodes: [{name: n, count: 2, cores: 4, pricePerHour: 0.36}]\n" +
                          one_job + "services: [{name: s, pods: 2, cores: 1, arrival: 60s, lifetime: 100s}]\n";
  EXPECT_THAT(places_at(scenario_of(two), 90), testing::ElementsAre(testing::Pair("n-0", 1), testing::Pair("n-1", 1)));
  EXPECT_THAT(places_at(scenario_of(two), 90, ServiceScore::most_allocated),
              testing::ElementsAre(testing::Pair("n-0", 2)));
  EXPECT_THAT(places_at(scenario_of(two), 161), testing::IsEmpty());
  EXPECT_EQ(score_beside("most-allocated"), ServiceScore::most_allocated);
  EXPECT_EQ(score_beside("lips"), ServiceScore::least_allocated);
}

TEST(Services, MakeTheAutoscalerLaunchNodesAndHoldThemUntilTheyEnd) {
  const Scenario scenario =
      scenario_of(machines + one_job + "services: [{name: s, pods: 3, cores: 3, arrival: 100s, lifetime: 1000s}]\n");
  EXPECT_THAT(places_at(scenario, 120), testing::ElementsAre(testing::Pair("fixed-0", 1), testing::Pair("waiting", 2)));
  EXPECT_THAT(places_at(scenario, 160),
              testing::ElementsAre(testing::Pair("fixed-0", 1), testing::Pair("m-a-on-demand-0", 1),
                                   testing::Pair("m-a-on-demand-1", 1)));
  for (const char* policy : {"spread", "lips", "own-zone-cheapest"}) {
    const RunResult run = run_under(scenario, policy);
    EXPECT_EQ(run.fleet.launches, 2u) << policy;
    EXPECT_EQ(run.makespan, seconds(1100)) << policy;
    // The fixed node from the beginning, two others from a second after the pods came; all until the pods end.
    EXPECT_NEAR(run.invoice.nodes.value(), 0.36 * (1100 + 2 * 999) / 3600, 1e-4) << policy;
  }
}

TEST(Services, GoToAnotherNodeWhenTheirsIsLost) {
  const Scenario scenario = scenario_of(machines + one_job +
                                        "services: [{name: s, cores: 4, arrival: 20s, lifetime: 1000s}]\n"
                                        "failures: [{nodes: [fixed-0], at: 300s}]\n");
  EXPECT_THAT(places_at(scenario, 299), testing::ElementsAre(testing::Pair("fixed-0", 1)));
  EXPECT_THAT(places_at(scenario, 350), testing::ElementsAre(testing::Pair("m-a-on-demand-0", 1)));
}

// Tasks of LiPS are marked against eviction, services are not.
TEST(Services, AreMovedTogetherOnceThereIsRoomWhoeverPlacesTasks) {
  const Scenario scenario =
      scenario_of(machines + one_job +
                  "services:\n  - {name: short, pods: 3, cores: 2.5, arrival: 100s, lifetime: 300s}\n"
                  "  - {name: long, pods: 3, cores: 1, arrival: 100s, lifetime: 3000s}\n");
  for (const char* policy : {"spread", "lips"}) {
    const RunResult run = run_under(scenario, policy);
    EXPECT_EQ(run.fleet.launches, 2u) << policy;
    EXPECT_GE(run.fleet.underutilized, 1u) << policy;
    EXPECT_LT(run.invoice.nodes.value(), 0.36 * (3100 + 2 * 600) / 3600) << policy;
  }
}

TEST(Services, TakeTheirRoomFromThePlansOfEveryPolicy) {
  const Scenario scenario = scenario_of(
      "name: day\nzones: [a]\nnodes: [{name: n, count: 2, cores: 4, pricePerHour: 0.36}]\n"
      "jobs: [{name: j, tasks: 8, cpuPerTask: 100, arrival: 10s}]\n"
      "services: [{name: s, pods: 2, cores: 3, lifetime: 1000s}]\n");
  for (const PolicyEntry& entry : policy_registry()) {
    const std::string policy(entry.name);
    const RunResult run = run_under(scenario, policy);
    EXPECT_EQ(run.jobs_finished, 1u) << policy;
    EXPECT_GE(run.completion.mean, 400) << policy << ": two cores are left";
  }
}

// A random day with services, some of which come while nodes are full.
Scenario random_day(std::uint64_t seed) {
  Random random(seed);
  std::string text = machines;
  text += fmt::format("durationNoise: {:.2f}\nseed: {}\njobs:\n", random.uniform(0, 0.4), seed);
  double arrival = 0;
  for (int i = 0; i < 10; ++i) {
    arrival += random.exponential(100);
    text += fmt::format("  - {{name: j{}, arrival: {:.0f}s, tasks: {}, cpuPerTask: {:.0f}}}\n", i, arrival,
                        1 + random.below(12), random.uniform(20, 300));
  }
  text += "services:\n";
  for (int i = 0; i < 6; ++i)
    text += fmt::format("  - {{name: s{}, pods: {}, cores: {:.2f}, arrival: {:.0f}s, lifetime: {:.0f}s}}\n", i,
                        1 + random.below(3), random.uniform(0.25, 2), random.uniform(0, 900), random.uniform(60, 1500));
  return scenario_of(text);
}

TEST(Services, OfRandomDaysNeverOverfillANodeAndArePaidAsLongAsTheyRun) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Scenario scenario = random_day(seed);
    double core_hours = 0;
    for (const Service& service : scenario.services)
      core_hours += service.pods * service.request.cpu.value() * to_hours(service.until - service.from);
    for (const char* policy : {"spread", "most-allocated", "lips", "own-zone-cheapest"}) {
      SCOPED_TRACE(fmt::format("seed {} under {}", seed, policy));
      const RunResult run = run_under(scenario, policy);
      EXPECT_EQ(run.jobs_finished, run.jobs);
      EXPECT_GE(run.makespan, last_end(scenario.services) - TimePoint{});
      const double fixed = 4 * to_hours(run.makespan), waiting = 0.1 * core_hours;
      EXPECT_GE(fixed + run.core_hours_paid, run.core_hours_used + core_hours - waiting);
    }
    RunListener nobody;
    SimulatedCluster cluster(scenario, {}, nobody);
    for (double time = 10; time < 2500; time += 10) {
      if (!cluster.wait(at(time))) break;
      std::map<std::string, double> cores;
      for (const ServicePods& service : cluster.services())
        for (const auto& [node, pods] : service.on) cores[node] += pods * service.request.cpu.value();
      for (const auto& [node, taken] : cores) EXPECT_LE(taken, 4 + 1e-9) << node << " at " << time << ", seed " << seed;
    }
  }
}

TEST(Services, HaveAnErrorForEachMistake) {
  ScenarioOptions options;
  options.config_folder = std::string(LIPS_SOURCE_DIR) + "/config";
  const auto error = [&](const std::string& services) {
    const Result<Scenario> read = parse_scenario("day.yaml", machines + one_job + services, options);
    return read ? "" : read.error().message;
  };
  EXPECT_THAT(error("services: [{name: s}]\n"), testing::HasSubstr("services[0].lifetime"));
  EXPECT_THAT(error("services: [{lifetime: 5s}]\n"), testing::HasSubstr("services[0].name"));
  EXPECT_THAT(error("services: [{name: s, lifetime: 5s, pods: 0}]\n"), testing::HasSubstr("services[0].pods"));
  EXPECT_THAT(error("services: [{name: s, lifetime: 5s, pods: 90000}, {name: t, lifetime: 5s, pods: 20000}]\n"),
              testing::HasSubstr("110000 pods"));
}

}  // namespace
}  // namespace lips::simulation
