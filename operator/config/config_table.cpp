#include "config/config_table.h"

#include <fmt/format.h>

#include "config/operator_config.h"

namespace lips {

std::string config_table() {
  std::string out = "| key | default | unit | meaning | live |\n|---|---|---|---|---|\n";
  for (const ConfigKey& key : keys_of({}))
    out += fmt::format("| {} | `{}` | {} | {} | {} |\n", key.path, key.value, key.unit, key.meaning,
                       key.live ? "yes" : "");
  return out;
}

}  // namespace lips
