// A job that is expected, as answers and pages name it. Plans nothing.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "advice/expected.h"

namespace lips::cmd {

nlohmann::ordered_json expected_json(const ClusterSnapshot& cluster, const advice::ExpectedJob& job);
// "logs, clicks", "a, b": what it reads, and the zones with room for it. Empty: nothing, none.
std::string names_of_inputs(const ClusterSnapshot& cluster, const advice::ExpectedJob& job);
std::string zones_with_room(const ClusterSnapshot& cluster, const advice::ExpectedJob& job);

}  // namespace lips::cmd
