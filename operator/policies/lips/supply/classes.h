// Groups the cluster's nodes, and those that could be bought, into classes with capacity in each time slot.
#pragma once

#include "policies/lips/market/node_classes.h"
#include "policies/lips/supply/time_slots.h"

namespace lips {

NodeClasses make_classes(const ClusterSnapshot& cluster, const TimeSlotSettings& time_slots);

}  // namespace lips
