// The groups of pending tasks in a snapshot: what ClusterState does when a task begins or ceases to be pending, for
// everybody who changes a copy of a snapshot. Does not know why a task changes.
#pragma once

#include "model/snapshot.h"

namespace lips {

// The group to which a task with these properties belongs, still without tasks.
TaskGroup group_for(const ClusterSnapshot& cluster, const Task& task);
// Appends the task to that group of its job.
void link_pending(ClusterSnapshot& cluster, TaskId task, std::uint32_t group);
// Takes a pending task out of its group, without saying what becomes of it.
void unlink_pending(ClusterSnapshot& cluster, TaskId task);

}  // namespace lips
