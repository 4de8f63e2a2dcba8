#include "model/pending_tasks.h"

#include "model/degraded_read.h"

namespace lips {

TaskGroup group_for(const ClusterSnapshot& cluster, const Task& task) {
  TaskGroup group;
  group.kind = task.kind;
  group.cpu = task.cpu;
  group.input = task.input;
  group.reads = task.block.valid();
  if (group.reads) {
    group.zones = cluster.blocks[task.block].zones;
    if (!cluster.jobs[task.job].whole.peers) group.coming = cluster.blocks[task.block].coming;
    group.data_set = cluster.blocks[task.block].data_set;
    group.degraded = group.zones.empty() && decodable(cluster, task.block);
  }
  return group;
}

void link_pending(ClusterSnapshot& cluster, TaskId id, std::uint32_t number) {
  Task& task = cluster.tasks[id];
  task.state = TaskState::pending;
  task.group = number;
  TaskGroup& group = cluster.groups[task.job][number];
  task.previous_pending = group.last;
  task.next_pending = TaskId::none();
  if (group.last.valid())
    cluster.tasks[group.last].next_pending = id;
  else
    group.first = id;
  group.last = id;
  ++group.count;
  Job& job = cluster.jobs[task.job];
  ++job.pending;
  job.pending_work += task.cpu;
  ++cluster.pending_tasks;
}

void unlink_pending(ClusterSnapshot& cluster, TaskId id) {
  Task& task = cluster.tasks[id];
  TaskGroup& group = cluster.groups[task.job][task.group];
  (task.previous_pending.valid() ? cluster.tasks[task.previous_pending].next_pending : group.first) = task.next_pending;
  (task.next_pending.valid() ? cluster.tasks[task.next_pending].previous_pending : group.last) = task.previous_pending;
  task.next_pending = task.previous_pending = TaskId::none();
  task.group = 0;
  --group.count;
  Job& job = cluster.jobs[task.job];
  --job.pending;
  job.pending_work = job.pending > 0 ? job.pending_work - task.cpu : CpuSeconds(0);
  --cluster.pending_tasks;
}

}  // namespace lips
