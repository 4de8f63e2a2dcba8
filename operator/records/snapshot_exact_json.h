// What a snapshot holds beside the content of its file, and what computing it anew would only nearly give: sums with
// their rounding, the order of running tasks and of groups. A replay needs it bit for bit.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"
#include "model/snapshot.h"

namespace lips {

nlohmann::json exact_part(const ClusterSnapshot& cluster);
// Into a snapshot that was read in the order of the file; invalid_input where it does not belong to it.
Result<void> restore_exact(const nlohmann::json& exact, const std::string& file, ClusterSnapshot& cluster);

}  // namespace lips
