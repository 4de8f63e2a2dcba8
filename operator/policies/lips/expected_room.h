// Room for work that is expected and has not come. A small transportation problem places what is pending and what is
// expected over zones and time slots at once; what the expected work takes there is no longer offered to the pending
// work. Nothing is bound for it, and what is free now stays free now.
#pragma once

#include <vector>

#include "model/plan.h"
#include "policies/lips/classes.h"

namespace lips {

// Takes that room off the steps of the classes, and returns it. Counts work that is expected within `reach`.
std::vector<KeptRoom> keep_expected_room(const ClusterSnapshot& cluster, const CostModel& costs, Duration reach,
                                         NodeClasses& classes);

}  // namespace lips
