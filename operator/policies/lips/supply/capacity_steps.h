// Capacity of each class in each time slot: free cores of its nodes, and cores of running tasks from their expected
// end on. With `billing: invoice`, what comes free within the first time slot is a step of its own, as dear as the wait
// until then; and on elastic nodes capacity that is already paid for is one, and nearly free.
#pragma once

#include "policies/lips/market/node_classes.h"
#include "policies/lips/supply/time_slots.h"

namespace lips {

// Sets `steps`, `now_window` and `paid_until`. `mean_task`: seconds at speed 1.
void fill_steps(const ClusterSnapshot& cluster, const TimeSlotSettings& time_slots, double mean_task,
                NodeClasses& classes);

}  // namespace lips
