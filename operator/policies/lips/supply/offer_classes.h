// Nodes that could be bought, as classes beside those that are there.
//
// A node is paid from its launch until it has been idle for a while: boot + idle seconds of its price p do no work.
// Other tasks come while it is there, so only a share o of these is for those that it is bought for. Whoever buys the
// nodes for W CPU-seconds of work in order to be done after D seconds pays W p (1 + o / D), and its tasks, each of L
// seconds, wait (D - L) / 2 in the mean until they start. With w the price of a second's wait the sum is least at D =
// sqrt(2 o p / w): an economic order quantity (F. W. Harris, How Many Parts to Make at Once, 1913). The class's price
// is the one at that D, and of the work that it is given only D's part asks for nodes; the rest queues for them.
#pragma once

#include "policies/lips/market/node_classes.h"
#include "policies/lips/supply/node_kinds.h"
#include "policies/lips/supply/time_slots.h"

namespace lips {

inline constexpr double share_of_unused_time = 0.4;  // measured: docs/results.md, nodes bought for others as well

// One class for each offer that is the cheapest of its zone and capacity type for some pending tasks.
void add_offers(const ClusterSnapshot& cluster, const TimeSlotSettings& time_slots, double mean_task, NodeKinds& kinds,
                NodeClasses& classes);

}  // namespace lips
