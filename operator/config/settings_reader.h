// Reads the settings of policies from YAML and writes them back. docs/scenarios.md lists them.
#pragma once

#include <string>

#include "config/yaml_reader.h"
#include "policies/settings.h"

namespace lips {

// Absent fields keep their values.
void read_policy_settings(YamlMap fields, PolicySettings& settings);

// All settings as one line of JSON, which is also YAML: reading it gives the same settings, bit for bit.
std::string write_policy_settings(const PolicySettings& settings);

}  // namespace lips
