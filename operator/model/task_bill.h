// The bill of one task by use: its CPU, and the bytes that cross zones for it.
#pragma once

#include "model/snapshot.h"

namespace lips {

// The cost of the task there: CPU, and the transfer of its input from that store or, for a reduce task, of its share of
// the map output.
Bill task_bill(const ClusterSnapshot& cluster, const CostModel& costs, const Task& task, const Assignment& assignment);

}  // namespace lips
