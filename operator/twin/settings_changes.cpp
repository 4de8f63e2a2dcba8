#include "twin/settings_changes.h"

#include <fmt/format.h>

#include <optional>

#include "config/settings_reader.h"
#include "config/yaml_reader.h"
#include "simulation/scenario_reader.h"

namespace lips::twin {

Result<void> change_settings(const std::string& file, const FieldChanges& set, simulation::Scenario& scenario) {
  YamlValue root;
  root.kind = YamlValue::Kind::map;
  for (const auto& [name, value] : set) {
    const std::string path = simulation::whole_field_name(name);
    if (path != "seed" && !path.starts_with("settings."))
      return fail(ErrorCode::invalid_input,
                  fmt::format("{}: found {}; allowed for a journal: settings.KEY, because its cluster and jobs are "
                              "those of its records",
                              file, path));
    if (Result<void> changed = override_yaml(root, path, value); !changed) return changed;
  }
  FileErrors errors{file, {}};
  YamlMap fields(root, "", errors);
  if (fields.has("seed")) scenario.seed = static_cast<std::uint64_t>(fields.integer("seed", 1, 0, INT64_MAX));
  if (std::optional<YamlMap> changed = fields.map("settings")) read_policy_settings(*changed, scenario.settings);
  if (!errors.messages.empty()) return errors.as_error();
  return {};
}

}  // namespace lips::twin
