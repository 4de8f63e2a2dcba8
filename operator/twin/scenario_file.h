// A recorded scenario as a file, which has the name of each node and the work of each task: a first line of JSON, then
// a snapshot with all jobs. docs/journal.md describes it. Knows no journal.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "simulation/scenario.h"
#include "simulation/scenario_options.h"

namespace lips::twin {

// Only what recorded_day() fills in.
std::string write_recorded_scenario(const simulation::Scenario& scenario);
bool is_recorded_scenario(std::string_view text);
// `set` is the only one of the options that counts (settings_changes.h). Errors name `file`, and the place in it.
Result<simulation::Scenario> parse_recorded_scenario(const std::string& file, std::string_view text,
                                                     const simulation::ScenarioOptions& options = {});

// A scenario of either form: recorded, or in YAML.
Result<simulation::Scenario> read_scenario(const std::string& path, const simulation::ScenarioOptions& options);

}  // namespace lips::twin
