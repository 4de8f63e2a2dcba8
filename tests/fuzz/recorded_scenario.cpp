// Recorded scenarios: what is read is written in such a way that it is read as the same again. An input is a list of a
// file's first line and its snapshot, so that mutants keep to the form of both.
#include <nlohmann/json.hpp>

#include "tests/fuzz/fuzz_target.h"
#include "twin/scenario_file.h"

namespace lips {

FUZZ_TARGET(recorded_scenario, json) {
  const nlohmann::ordered_json parts = nlohmann::ordered_json::parse(input, nullptr, false);
  if (!parts.is_array() || parts.size() != 2) return false;
  const auto line = [](const nlohmann::ordered_json& part) {
    return part.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  };
  const auto scenario = twin::parse_recorded_scenario("day.json", line(parts[0]) + "\n" + line(parts[1]));
  if (!scenario) return false;
  const std::string written = twin::write_recorded_scenario(*scenario);
  const auto again = twin::parse_recorded_scenario("day.json", written);
  FUZZ_CHECK(again);
  FUZZ_CHECK(twin::write_recorded_scenario(*again) == written);
  return true;
}

}  // namespace lips
