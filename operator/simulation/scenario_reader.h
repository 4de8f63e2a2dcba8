// Scenarios from YAML files: the cluster, prices, data, jobs and failures. docs/scenarios.md lists every field. The
// assumptions of the scenario record everything that the file leaves to a default or a draw.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "simulation/scenario.h"

namespace lips::simulation {

struct ScenarioOptions {
  std::string config_folder;  // has the shipped prices and traces; empty: find_config_folder()
  std::string data_folder;    // has traces that are not shipped; empty: environment variable LIPS_DATA
  // Field paths with YAML values that replace those of the file (--set load=0.5). "epoch" stands for settings.epoch.
  std::vector<std::pair<std::string, std::string>> set;
};

Result<Scenario> read_scenario(const std::string& path, const ScenarioOptions& options = {});
// The same from a text. Errors name `file`, and traces may lie beside it.
Result<Scenario> parse_scenario(const std::string& file, const std::string& text, const ScenarioOptions& options = {});

// Returns the path to read for the name of a shipped scenario, such as "quickstart", or for a path.
Result<std::string> find_scenario(const std::string& name_or_path, const ScenarioOptions& options = {});

}  // namespace lips::simulation
