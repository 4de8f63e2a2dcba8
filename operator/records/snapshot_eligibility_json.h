// Labels, taints, selectors and tolerations of a snapshot file.
#pragma once

#include <nlohmann/json.hpp>

#include "model/nodes.h"
#include "records/snapshot_json.h"

namespace lips {

NodeProfile read_profile(const json_tables::View& object);
PlacementConstraint read_constraint(const json_tables::View& object);
// The form that read_constraint reads.
nlohmann::ordered_json constraint_json(const PlacementConstraint& constraint);

}  // namespace lips
