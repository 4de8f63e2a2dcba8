// A simulated day on which everything goes wrong that a snapshot has to remember, and a way to look at its decisions.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "config/text_file.h"
#include "controller/epoch_controller.h"
#include "model/cluster_state.h"
#include "policies/registry/registry.h"
#include "simulation/scenario_reader.h"
#include "simulation/simulated_cluster.h"

namespace lips::testing {

// Failures with lost data, shared data in a dear zone, shuffle, selectors, pools with limits: what makes states that a
// fresh reading would not.
inline constexpr const char* rough_day = R"(
name: rough-day
zones: [a, b]
racksPerZone: 2
nodes:
  - {name: cheap, count: 4, zone: b, cores: 8, pricePerHour: 0.1, labels: {disk: ssd}}
  - {name: dear, count: 4, zone: a, cores: 4, pricePerHour: 0.4}
blockSize: 128Mi
placement: {replicas: 2, zonesPerBlock: 1, hotZone: a, hotShare: 0.9}
pools: [{name: one, weight: 2, maximum: 20}, {name: two, minimum: 2}]
dataSets: [{name: logs, size: 4Gi}]
jobs:
  - {name: first, input: logs, application: Grep, pool: one}
  - {name: again, input: logs, application: WordCount, arrival: 30s, pool: two, shuffleRatio: 0.3, reduces: 3, cpuPerReduce: 20}
  - {name: late, count: 4, input: logs, application: WordCount, arrival: 90s, pool: one, nodeSelector: {disk: ssd}}
  - {name: pi, tasks: 300, cpuPerTask: 33.3, arrival: 2m, pool: two}
failures:
  - {random: 2, at: 1m, until: 3m, down: 1m, dataLost: true}
  - {nodes: [cheap-0], at: 2m, down: 50s}
network: {remoteStream: 5Mbit/s}
transfer: {acrossZones: 0.01}
settings: {epoch: 45s, horizon: 2m, copyColumns: true, dropCopiesAfter: 1m, replanLeast: 2s}
)";

// The same with erasure-coded data: what is lost is decoded, by tasks that take longer.
inline std::string coded_day() {
  std::string text = rough_day;
  const std::string placement = "{replicas: 2, zonesPerBlock: 1, hotZone: a, hotShare: 0.9}";
  text.replace(text.find(placement), placement.size(), "{erasureCode: {n: 4, k: 2}}");
  return text;
}

inline simulation::Scenario scenario(const std::string& text = rough_day) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("lips-rough-day-" + std::to_string(getpid()) + ".yaml");
  EXPECT_TRUE(write_text_file(file.string(), text));
  simulation::ScenarioOptions options;
  options.config_folder = std::string(LIPS_SOURCE_DIR) + "/config";
  const Result<simulation::Scenario> read = simulation::read_scenario(file.string(), options);
  std::filesystem::remove(file);
  EXPECT_TRUE(read) << read.error().message;
  return *read;
}

// Hands over every decision of a run.
class Tapped : public Policy {
 public:
  using Tap = std::function<void(const PolicyInput&, const Plan&)>;
  Tapped(std::unique_ptr<Policy> policy, Tap tap) : policy_(std::move(policy)), tap_(std::move(tap)) {}
  Cadence cadence() const override { return policy_->cadence(); }
  Result<Plan> decide(const PolicyInput& input) const override {
    Result<Plan> plan = policy_->decide(input);
    if (plan) tap_(input, *plan);
    return plan;
  }

 private:
  std::unique_ptr<Policy> policy_;
  Tap tap_;
};

inline void run(const simulation::Scenario& scenario, const std::string& name, const Tapped::Tap& tap) {
  const Tapped policy(std::move(*make_policy(name, scenario.settings)), tap);
  simulation::RunListener nobody;
  simulation::SimulatedCluster cluster(scenario, policy.cadence(), nobody);
  ClusterState state(scenario.cluster);
  EpochController controller(state, cluster, policy, scenario.costs);
  ASSERT_TRUE(controller.run({}));
}

}  // namespace lips::testing
