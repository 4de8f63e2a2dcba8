// The answers of an API server to the question what it serves: versions, groups, and the resources of a group. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "virtual/api_json.h"

namespace lips::virtual_cluster {

// For /version, /api, /apis and /apis/GROUP, without a query. None: another path, or a group that nothing in `served`
// belongs to. `served`: collections as /apis/batch/v1/jobs.
std::optional<Json> discovered(std::string_view path, const std::vector<std::string>& served);

// Short names and categories for the resource of a collection, as discovery says them.
void add_words(std::string_view collection, Json& resource);

}  // namespace lips::virtual_cluster
