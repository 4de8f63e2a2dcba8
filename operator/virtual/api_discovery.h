// The answers of an API server to the question what it serves: versions, groups and resources. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "virtual/api_json.h"

namespace lips::virtual_cluster {

// For /version, /api, /apis, /apis/GROUP, /api/VERSION and /apis/GROUP/VERSION, without a query. None: another path, or
// a group that nothing in `served` belongs to. `served`: collections as /apis/batch/v1/jobs.
std::optional<Json> discovered(std::string_view path, const std::vector<std::string>& served);

}  // namespace lips::virtual_cluster
