// Changes of settings, as --set names them, for what was recorded: its cluster and its jobs cannot be changed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "simulation/scenario.h"

namespace lips::twin {

using FieldChanges = std::vector<std::pair<std::string, std::string>>;

// Fields are settings.KEY, a short name of --set for one, or seed. The error names the file.
Result<void> change_settings(const std::string& file, const FieldChanges& set, simulation::Scenario& scenario);

}  // namespace lips::twin
