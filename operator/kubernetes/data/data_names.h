// Which files below a folder are data, by the names that Spark, Hive and Iceberg give them. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "kubernetes/data/resources.h"

namespace lips::kubernetes {

// The name of a file or folder. One that begins with _ or . is not data (_SUCCESS, _temporary, _delta_log, .hoodie)
// unless it is the value of a column (_day=1), nor is what is still being copied.
bool names_data(std::string_view name);

// Leaves out files that are no data, or that lie in a folder that is none, or in the metadata of an Iceberg table: a
// folder `metadata` with a file *.metadata.json. `root`: what lies below it is judged, without slashes at its ends.
void leave_only_data(std::vector<DataFile>& files, std::string_view root);

}  // namespace lips::kubernetes
