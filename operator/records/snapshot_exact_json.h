// State of a snapshot that recomputing it from its file would reproduce only nearly: sums with their rounding, the
// order of running tasks and of groups. A replay needs it bit for bit.
#pragma once

#include <nlohmann/json.hpp>

#include "model/snapshot.h"
#include "records/problems.h"

namespace lips {

nlohmann::json exact_part(const ClusterSnapshot& cluster);
// Restores into a snapshot that was read in the order of the file. Reports where the exact part of the file does not
// belong to it.
void restore_exact(const nlohmann::json& file, Problems& problems, ClusterSnapshot& cluster);

}  // namespace lips
