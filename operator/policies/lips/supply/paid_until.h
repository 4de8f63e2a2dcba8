// The time until which the nodes of an elastic cluster are paid for in any case: an autoscaler terminates a node some
// idle time after its last task.
#pragma once

#include "model/snapshot.h"

namespace lips {

// [node] seconds from now; 0 for fixed nodes, whose hours do not favour any of them.
IdVector<NodeId, double> paid_until(const ClusterSnapshot& cluster);

}  // namespace lips
