// LiPS with an epoch of length 0: the lowest-cost task of the queue first, now, wherever it costs least (section V-B).
#pragma once

#include "model/plan.h"
#include "policies/policy.h"

namespace lips::paper {

// One wave: everything it assigns fits at once.
Plan greedy(const PolicyInput& input);

}  // namespace lips::paper
