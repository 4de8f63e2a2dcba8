// How much work jobs still have, and how fast a cluster can do it.
#pragma once

#include "model/jobs_in_parts.h"
#include "model/snapshot.h"

namespace lips {

// The work left of this part of a job, by the share of its tasks that have not finished.
CpuSeconds work_left(const Job& part);
// The time of one task of the group on the CPU that it requests, at speed 1.
double seconds_alone(const Job& job, const TaskGroup& group);
// CPU-seconds of work a second, on all nodes that take tasks and all that could be launched.
double work_rate(const ClusterSnapshot& cluster);
// The highest speed of such a node; 1 without any.
double fastest_node(const ClusterSnapshot& cluster);
// Seconds of the longest task that waits of any part of the job, at speed 1.
double longest_task(const ClusterSnapshot& cluster, const PendingParts& parts, JobId part);
// Until the job is done with all of its parts, at the most, if it is alone: its work on all nodes, and then its longest
// task.
double seconds_at_full_speed(const ClusterSnapshot& cluster, const PendingParts& parts, JobId part, double work_rate);

}  // namespace lips
