// Who does what a refusal says it takes is not refused again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <string>

#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"

namespace lips {
namespace {

using simulation::RunResult;
using simulation::TargetOutcome;

// Jobs of two pools. `nodes`: of four cores, half of them in the dearer zone.
struct Days {
  const char* name;
  int nodes;
  const char* jobs;
};

const Days all_days[] = {
    {"a busy morning", 4,
     "[{name: j, count: 20, every: 10m, tasks: 40, cpuPerTask: 200, pool: p},"
     " {name: k, count: 20, every: 12m, tasks: 20, cpuPerTask: 200, pool: q}]"},
    {"bursts for three days", 4,
     "[{name: j, count: 144, every: 30m, tasks: 40, cpuPerTask: 200, pool: p},"
     " {name: k, count: 144, every: 30m, tasks: 20, cpuPerTask: 200, pool: q}]"},
    {"more than the nodes can do", 2, "[{name: j, count: 1800, every: 1m, tasks: 1, cpuPerTask: 600, pool: p}]"},
    {"a burst each morning", 2, "[{name: j, count: 3, arrival: 8h, every: 24h, tasks: 200, cpuPerTask: 300, pool: p}]"},
};

// The target of pool p.
TargetOutcome outcome_of(const Days& days, int nodes, const std::string& targets) {
  const std::string text = fmt::format(
      "zones: [a, b]\n"
      "nodes: [{{name: n, zone: a, count: {}, cores: 4, pricePerHour: 0.16}}, {{name: m, zone: b, count: {}, cores: 4, "
      "pricePerHour: 0.2}}]\n"
      "pools: [{{name: p, targets: {{{}}}}}, {{name: q}}]\n"
      "jobs: {}\n",
      (nodes + 1) / 2, nodes / 2, targets, days.jobs);
  const Result<simulation::Scenario> scenario = simulation::parse_scenario("days.yaml", text);
  if (!scenario) {
    ADD_FAILURE() << scenario.error().message;
    return {};
  }
  const Result<std::unique_ptr<Policy>> policy = make_policy("lips", scenario->settings);
  const Result<RunResult> result = run(*scenario, **policy, "lips");
  EXPECT_TRUE(result) << result.error().message;
  return result ? result->targets.at(0) : TargetOutcome{};
}

double named(const std::string& why, const std::string& pattern) {
  std::smatch found;
  if (std::regex_search(why, found, std::regex(pattern))) return std::stod(found[1]);
  ADD_FAILURE() << why;
  return 0;
}

TEST(WhatItTakes, ABudgetThatIsNamedIsHeld) {
  for (const Days& days : all_days) {
    SCOPED_TRACE(days.name);
    const auto with = [&](double budget) {
      return outcome_of(days, days.nodes, fmt::format("budgetPerDay: {:.2f} USD", budget));
    };
    const TargetOutcome refused = with(0.1);
    ASSERT_TRUE(refused.refused);
    const double budget = named(refused.why, "a budget of about ([0-9.]+) USD");
    const TargetOutcome again = with(budget);
    EXPECT_FALSE(again.refused) << budget << ": " << again.why;
    for (const double reached : again.by_day) EXPECT_LE(reached, 1.05 * budget);
  }
}

TEST(WhatItTakes, CoresThatAreNamedAreEnoughForAMeanWait) {
  for (const Days& days : all_days)
    for (const int wanted : {1, 30, 120}) {
      SCOPED_TRACE(fmt::format("{}, {} s", days.name, wanted));
      const auto with = [&](int nodes) { return outcome_of(days, nodes, fmt::format("meanWait: {}s", wanted)); };
      const TargetOutcome refused = with(days.nodes);
      if (!refused.refused) continue;
      if (refused.why.find("more than") != std::string::npos) continue;  // six times the nodes are not enough
      const double cores = named(refused.why, "it takes (?:about|at least) ([0-9]+) more cores?");
      const TargetOutcome again = with(days.nodes + static_cast<int>(std::ceil(cores / 4)));
      EXPECT_FALSE(again.refused) << cores << ": " << again.why << " after " << refused.why;
      for (const double reached : again.by_day) EXPECT_LE(reached, 1.05 * wanted) << cores << " after " << refused.why;
    }
}

}  // namespace
}  // namespace lips
