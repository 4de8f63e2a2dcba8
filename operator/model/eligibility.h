// The parts of eligible(), for callers that report which one fails.
#pragma once

#include <vector>

#include "model/nodes.h"

namespace lips {

bool meets(const LabelRequirement& requirement, const NodeProfile& profile);
bool meets_all(const std::vector<LabelRequirement>& requirements, const NodeProfile& profile);
// Node selector and required affinity.
bool matches_labels(const PlacementConstraint& constraint, const NodeProfile& profile);
bool reaches_volumes(const PlacementConstraint& constraint, const NodeProfile& profile);
// The first taint that keeps the task away; nullptr: none does.
const Taint* untolerated_taint(const PlacementConstraint& constraint, const NodeProfile& profile);

}  // namespace lips
