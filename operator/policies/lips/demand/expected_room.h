// Room for work that is expected and has not come. A small transportation problem places what is pending and what is
// expected over zones and time slots at once; what the expected work takes there is no longer offered to the pending
// work. Nothing is bound for it, and what is free now stays free now.
#pragma once

#include <vector>

#include "model/counted_work.h"
#include "model/plan.h"
#include "policies/lips/market/node_classes.h"

namespace lips {

// The time slots' edges, with one more at the time of each of the few largest that come after the first slot: no slot
// then has both capacity from before they come, which they cannot use, and capacity from after.
std::vector<Duration> begin_slots_with_expected(const ClusterSnapshot& cluster, const CountedWork& counted,
                                                std::vector<Duration> edges);

// Takes that room off the steps of the classes, and returns it.
std::vector<KeptRoom> keep_expected_room(const ClusterSnapshot& cluster, const CostModel& costs,
                                         const CountedWork& counted, NodeClasses& classes);

}  // namespace lips
