// How much work jobs still have, and how fast a cluster can do it.
#pragma once

#include "model/snapshot.h"

namespace lips {

// By the share of its tasks that have not finished.
CpuSeconds work_left(const Job& job);
// CPU-seconds of work a second, on all nodes that take tasks and all that could be launched.
double work_rate(const ClusterSnapshot& cluster);
// Until the job is done at full speed: its work on all nodes, by their work rate, and then its longest task.
double seconds_at_full_speed(const ClusterSnapshot& cluster, JobId job, double work_rate);

}  // namespace lips
