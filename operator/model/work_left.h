// How much work jobs still have, and how fast a cluster can do it.
#pragma once

#include "model/snapshot.h"

namespace lips {

// By the share of its tasks that have not finished.
CpuSeconds work_left(const Job& job);
// Of one task of the group on the CPU that it requests, at speed 1.
double seconds_alone(const Job& job, const TaskGroup& group);
// CPU-seconds of work a second, on all nodes that take tasks and all that could be launched.
double work_rate(const ClusterSnapshot& cluster);
// The highest speed of such a node; 1 without any.
double fastest_node(const ClusterSnapshot& cluster);
// Until the job is done, at the least, if nothing else runs: its longest task that waits on a node of the speed
// `fastest`, and what has not started on all nodes by their work rate.
double least_seconds_left(const ClusterSnapshot& cluster, JobId job, double work_rate, double fastest);
// At the most, if it is alone: its work on all nodes, and then its longest task.
double seconds_at_full_speed(const ClusterSnapshot& cluster, JobId job, double work_rate);

}  // namespace lips
