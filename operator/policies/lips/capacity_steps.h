// What each class offers in each time slot: the free cores of its nodes, and those of running tasks from their expected
// end on. On elastic nodes, capacity that is paid for anyway is a step of its own, and nearly free.
#pragma once

#include "policies/lips/classes.h"

namespace lips {

// The part of its price at which paid capacity is used: it still tells which to use first.
inline constexpr double price_of_paid_capacity = 0.05;

// Sets `steps` and `now_window`. `mean_task`: seconds at speed 1.
void fill_steps(const ClusterSnapshot& cluster, const TimeSlotSettings& time_slots, double mean_task,
                NodeClasses& classes);

}  // namespace lips
