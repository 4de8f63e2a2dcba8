// Days on nodes that an autoscaler buys: an hour of five jobs, spot and on demand in two zones, one job of large tasks,
// and two hours of modern-day-elastic with few jobs.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "simulation/scenario_reader.h"

namespace lips::virtual_cluster {

inline constexpr const char* elastic_text = R"(
name: elastic
zones: [a, b]
nodes:
  - {name: m, fleet: elastic, count: 4, limit: 8, instanceType: m7g.xlarge, capacityTypes: [spot, on-demand], bootTime: 40s}
  - {name: c, fleet: elastic, count: 4, limit: 8, instanceType: c7g.xlarge, capacityTypes: [spot, on-demand], bootTime: 40s}
autoscaler: {limitCores: 64, consolidation: WhenEmpty, consolidateAfter: 30s}
prices: {region: us-east-1, spotFactors: {a: 0.38, b: 0.30}}
stores:
  nodeDirectories: false
  volumes: [{name: volume-a, zone: a}, {name: volume-b, zone: b}]
blockSize: 128Mi
placement: oneZone
dataSets: [{name: logs, size: 8Gi}, {name: clicks, size: 4Gi}]
jobs:
  - {name: errors-in-logs, input: logs, application: Grep}
  - {name: sessions, input: clicks, application: Stress2, arrival: 2m}
  - {name: pi, tasks: 16, cpuPerTask: 60, arrival: 3m}
  - {name: clicks-again, input: clicks, application: Grep, arrival: 8m}
  - {name: later, tasks: 30, cpuPerTask: 200, arrival: 20m}
)";

inline simulation::Scenario elastic_scenario(const std::string& file, const std::string& text, std::uint64_t seed) {
  simulation::ScenarioOptions options;
  options.config_folder = std::string(LIPS_SOURCE_DIR) + "/config";
  options.set = {{"seed", std::to_string(seed)}};
  Result<simulation::Scenario> read = simulation::parse_scenario(file, text, options);
  EXPECT_TRUE(read) << read.error().message;
  return *std::move(read);
}

inline simulation::Scenario elastic_day(std::uint64_t seed) {
  return elastic_scenario("elastic.yaml", elastic_text, seed);
}

inline constexpr const char* whole_nodes_text = R"(
name: whole-nodes
zones: [a]
nodes: [{name: c, fleet: elastic, limit: 8, instanceType: c6i.2xlarge, cores: 8, capacityTypes: [spot], bootTime: 40s}]
autoscaler: {consolidateAfter: 30s}
prices: {region: us-east-1, spotFactors: {a: 0.38}}
stores: {nodeDirectories: false}
jobs: [{name: work, tasks: 4, cores: 8, cpuPerTask: 480}]
)";

// Four tasks of a minute, each of all cores of a node.
inline simulation::Scenario tasks_of_whole_nodes() { return elastic_scenario("whole-nodes.yaml", whole_nodes_text, 1); }

// Most jobs here find no node.
inline simulation::Scenario morning_of_few_jobs(std::uint64_t seed) {
  simulation::ScenarioOptions options;
  options.config_folder = std::string(LIPS_SOURCE_DIR) + "/config";
  options.set = {{"trace.from", "8h"},      {"trace.until", "10h"}, {"trace.jobs", "15"},
                 {"trace.maxTasks", "150"}, {"load", "0.02"},       {"seed", std::to_string(seed)}};
  auto read = simulation::read_scenario(options.config_folder + "/scenarios/modern-day-elastic.yaml", options);
  EXPECT_TRUE(read) << read.error().message;
  return *std::move(read);
}

}  // namespace lips::virtual_cluster
