// Data that would go with its nodes.
#pragma once

#include "policies/policy.h"

namespace lips {

// Adds a move for each block whose replicas all lie on nodes that are about to go (model/leaving.h), unless one to a
// store that stays is under way: to the one with room that costs least to reach, then the emptiest. The source keeps
// its replica, because the node may stay. Blocks for which no store has room are left out. Looks through
// stores and blocks only while a node leaves.
void rescue_data(const PolicyInput& input, Plan& plan);

}  // namespace lips
