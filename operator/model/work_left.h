// How much work jobs still have, and how fast a cluster can do it.
#pragma once

#include "model/snapshot.h"

namespace lips {

// By the share of its tasks that have not finished.
CpuSeconds work_left(const Job& job);
// CPU-seconds of work a second, on all nodes that take tasks and all that could be launched.
double work_rate(const ClusterSnapshot& cluster);

}  // namespace lips
