// The configuration file of the operator (config.lips.dev/v1alpha1). One list (operator_keys.h) has the unit and
// meaning of each key, and whether it may change at run time. Knows no cluster.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/operator_settings.h"
#include "config/yaml_reader.h"

namespace lips {

// One key of the file with a value in YAML; `live`: a change takes effect at run time; otherwise it needs a restart.
struct ConfigKey {
  std::string path, value, unit, meaning;
  bool live = false;
};
// All keys in the order of the file.
std::vector<ConfigKey> keys_of(const OperatorConfig& config);
// The keys whose values differ, with the values of `now`.
std::vector<ConfigKey> changed_keys(const OperatorConfig& before, const OperatorConfig& now);

using ConfigOverrides = std::vector<std::pair<std::string, std::string>>;  // path, value in YAML

// Errors name file, line, field, what was found and what is allowed. Unknown keys are errors.
Result<OperatorConfig> parse_operator_config(const std::string& file, const std::string& text,
                                             const ConfigOverrides& set = {});
Result<OperatorConfig> read_operator_config(const std::string& file, const ConfigOverrides& set = {});

// A file with every key and a comment for each, from which the same configuration is read.
std::string config_text(const OperatorConfig& config);
// The text of config/operator/default.yaml.
std::string default_config_text();

}  // namespace lips
