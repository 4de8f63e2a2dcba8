// The policies' knobs from YAML. docs/scenarios.md lists them.
#pragma once

#include "config/yaml_reader.h"
#include "policies/settings.h"

namespace lips {

// Fields that are absent keep the value they have.
void read_policy_settings(YamlMap fields, PolicySettings& settings);

}  // namespace lips
