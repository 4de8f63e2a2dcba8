// The same scenario twice: a policy on the simulated cluster directly, and through the operator's adapter and a virtual
// Kubernetes.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"
#include "virtual/run_through.h"

namespace lips::virtual_cluster {

struct BothDoors {
  simulation::RunResult direct, through;
};

inline double difference(double direct, double through) { return direct > 0 ? through / direct - 1 : 0; }
inline double in_dollars(const BothDoors& runs) {
  return difference(runs.direct.invoice.total().value(), runs.through.invoice.total().value());
}
inline double in_completion(const BothDoors& runs) {
  return difference(runs.direct.completion.mean, runs.through.completion.mean);
}

inline simulation::RunResult through(const simulation::Scenario& scenario, const std::string& name,
                                     const ThroughOptions& options = {}) {
  const auto policy = *make_policy(name, scenario.settings);
  const auto run = run_through_kubernetes(scenario, *policy, name, options);
  EXPECT_TRUE(run) << run.error().message;
  return run ? *run : simulation::RunResult{};
}

inline BothDoors run_both(const simulation::Scenario& scenario, const std::string& name = "lips",
                          const ThroughOptions& options = {}) {
  const auto policy = *make_policy(name, scenario.settings);
  const auto direct = simulation::run(scenario, *policy, name);
  EXPECT_TRUE(direct) << direct.error().message;
  return {direct ? *direct : simulation::RunResult{}, through(scenario, name, options)};
}

inline simulation::Scenario quickstart(std::uint64_t seed) {
  simulation::ScenarioOptions options;
  options.config_folder = std::string(LIPS_SOURCE_DIR) + "/config";
  options.set = {{"seed", std::to_string(seed)}};
  return *simulation::read_scenario(options.config_folder + "/scenarios/quickstart.yaml", options);
}

}  // namespace lips::virtual_cluster
