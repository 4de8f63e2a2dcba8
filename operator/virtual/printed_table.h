// Objects as the Table for which kubectl asks: columns and cells of text. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "virtual/api_json.h"

namespace lips::virtual_cluster {

// `collection` as /api/v1/pods; one without columns of its own has name and age. `now` is that of the ages.
Json printed_table(const std::string& collection, const std::vector<const Json*>& objects, TimePoint now);

}  // namespace lips::virtual_cluster
