// Scenarios from YAML files: the cluster, prices, data, jobs and failures. docs/scenarios.md lists every field. The
// assumptions of the scenario record everything that the file leaves to a default or a draw.
#pragma once

#include <string>

#include "base/result.h"
#include "simulation/scenario.h"
#include "simulation/scenario_options.h"

namespace lips::simulation {

Result<Scenario> read_scenario(const std::string& path, const ScenarioOptions& options = {});
// The same from a text. Errors name `file`, and traces may lie beside it.
Result<Scenario> parse_scenario(const std::string& file, const std::string& text, const ScenarioOptions& options = {});

// Returns the path to read for the name of a shipped scenario, such as "quickstart", or for a path.
Result<std::string> find_scenario(const std::string& name_or_path, const ScenarioOptions& options = {});

// The whole path of a field for a short name of --set; any other name as it is.
std::string whole_field_name(const std::string& name);

}  // namespace lips::simulation
