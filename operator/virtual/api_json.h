// Objects of the API as JSON values.
#pragma once

#include <nlohmann/json.hpp>

namespace lips::virtual_cluster {

using Json = nlohmann::json;

}  // namespace lips::virtual_cluster
