// Scenarios from YAML files: the cluster, prices, data, jobs and what goes wrong. docs/scenarios.md lists every field.
// Everything that the file leaves to a default or a draw ends in the scenario's assumptions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "simulation/scenario.h"

namespace lips::simulation {

struct ScenarioOptions {
  std::string config_folder;  // of the shipped prices and traces; empty: find_config_folder()
  std::string data_folder;    // of traces that are not shipped; empty: LIPS_DATA of the environment
  // Field paths and YAML values that replace what the file says (--set load=0.5). "epoch" stands for settings.epoch.
  std::vector<std::pair<std::string, std::string>> set;
};

Result<Scenario> read_scenario(const std::string& path, const ScenarioOptions& options = {});
// The same from a text; `file` is for errors and for traces beside it.
Result<Scenario> parse_scenario(const std::string& file, const std::string& text, const ScenarioOptions& options = {});

// A name such as "quickstart" of a shipped scenario, or a path: the path to read.
Result<std::string> find_scenario(const std::string& name_or_path, const ScenarioOptions& options = {});

}  // namespace lips::simulation
