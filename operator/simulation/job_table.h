// Jobs as a comma-separated table, whose columns are fields of a job in a scenario. Knows the meaning of `name`,
// `arrival` and `extended.NAME` alone.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/yaml_value.h"

namespace lips::simulation {

// A mapping for each row, with its line; an empty cell is no field. Arrivals are durations or seconds by any clock, and
// count from the first of them. A row without a name, or with one that came before, has its line in the name.
Result<std::vector<YamlValue>> parse_job_table(const std::string& file, const std::string& text);

}  // namespace lips::simulation
