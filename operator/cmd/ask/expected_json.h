// A job that is expected, as answers name it. Plans nothing.
#pragma once

#include <nlohmann/json.hpp>

#include "advice/expected.h"

namespace lips::cmd {

nlohmann::ordered_json expected_json(const ClusterSnapshot& cluster, const advice::ExpectedJob& job);

}  // namespace lips::cmd
