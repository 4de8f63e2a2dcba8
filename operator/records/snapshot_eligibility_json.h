// Labels, taints, selectors and tolerations of a snapshot file.
#pragma once

#include "model/nodes.h"
#include "records/snapshot_json.h"

namespace lips {

NodeProfile read_profile(const json_tables::View& object);
PlacementConstraint read_constraint(const json_tables::View& object);

}  // namespace lips
