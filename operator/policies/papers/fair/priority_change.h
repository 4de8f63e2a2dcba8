// Mechanism 5 of the modified fair scheduler (section 3.5, Table 3): a job's priority moves with the change of
// locality between its last two launches. Pure.
#pragma once

#include <cstdint>

#include "policies/drafting/locality_level.h"
#include "policies/settings.h"

namespace lips::fair {

// VERY_LOW -2, LOW -1, NORMAL 0, HIGH 1, VERY_HIGH 2
using PriorityLevel = std::int8_t;
inline constexpr PriorityLevel lowest_priority = -2, highest_priority = 2;

// Other priorities, such as those of Kubernetes, count as the nearest of the five.
PriorityLevel priority_level(std::int32_t priority);

PriorityLevel moved_priority(PriorityLevel priority, Level before, Level now, const ModifiedFairSettings& readings);

}  // namespace lips::fair
