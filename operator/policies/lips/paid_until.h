// Until when the nodes of an elastic cluster are paid for whatever runs on them: an autoscaler gives one back when its
// last task has ended and it has been idle for a while.
#pragma once

#include "model/snapshot.h"

namespace lips {

// [node] seconds from now; 0 for fixed nodes, whose hours are no reason to choose one before the other.
IdVector<NodeId, double> paid_until(const ClusterSnapshot& cluster);

}  // namespace lips
