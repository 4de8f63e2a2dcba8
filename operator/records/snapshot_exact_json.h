// What a snapshot holds beside the content of its file, and what computing it anew would only nearly give: sums with
// their rounding, the order of running tasks and of groups. A replay needs it bit for bit.
#pragma once

#include <nlohmann/json.hpp>

#include "model/snapshot.h"
#include "records/problems.h"

namespace lips {

nlohmann::json exact_part(const ClusterSnapshot& cluster);
// Into a snapshot that was read in the order of the file; says where the file's exact part does not belong to it.
void restore_exact(const nlohmann::json& file, Problems& problems, ClusterSnapshot& cluster);

}  // namespace lips
