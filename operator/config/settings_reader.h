// The policies' knobs from YAML and back. docs/scenarios.md lists them.
#pragma once

#include <string>

#include "config/yaml_reader.h"
#include "policies/settings.h"

namespace lips {

// Fields that are absent keep the value they have.
void read_policy_settings(YamlMap fields, PolicySettings& settings);

// All of them as one line of JSON, which is YAML too: reading it gives the same settings, bit for bit.
std::string write_policy_settings(const PolicySettings& settings);

}  // namespace lips
