#include "policies/drafting/unassigned.h"

#include <algorithm>

namespace lips {

Unassigned::JobCursor& Unassigned::cursor(JobId job) {
  const auto [found, added] = cursors_.try_emplace(job);
  if (added)
    for (const TaskGroup& group : cluster_.groups[job]) found->second.groups.push_back({group.first, 0});
  return found->second;
}

std::uint32_t Unassigned::left(JobId job) const {
  const auto found = cursors_.find(job);
  return cluster_.jobs[job].pending - (found == cursors_.end() ? 0 : found->second.taken);
}

std::uint32_t Unassigned::left(JobId job, std::uint32_t group) const {
  const auto found = cursors_.find(job);
  return cluster_.groups[job][group].count - (found == cursors_.end() ? 0 : found->second.groups[group].taken);
}

TaskId Unassigned::first(JobId job, std::uint32_t group) {
  const auto found = cursors_.find(job);
  if (found == cursors_.end()) return cluster_.groups[job][group].first;
  TaskId& next = found->second.groups[group].next;
  while (next.valid() && taken_.contains(next)) next = cluster_.tasks[next].next_pending;
  return next;
}

void Unassigned::take(TaskId id) {
  const Task& task = cluster_.tasks[id];
  JobCursor& of_job = cursor(task.job);
  ++of_job.taken;
  ++of_job.groups[task.group].taken;
  taken_.insert(id);
}

// Goes through the job's pending tasks or through those with a replica on the node, whichever list is shorter.
TaskId Unassigned::on_node(JobId job, NodeId node) {
  const StoreId store = cluster_.node_store[node];
  if (!store.valid()) return TaskId::none();
  const JobLocality& locality = cluster_.locality[job];
  const auto begin =
      std::lower_bound(locality.at_arrival.begin(), locality.at_arrival.end(), std::pair(node, TaskId(0)));
  const auto end = std::lower_bound(begin, locality.at_arrival.end(), std::pair(NodeId(node.index() + 1), TaskId(0)));
  if (begin == end && locality.since.empty()) return TaskId::none();
  if (left(job) < static_cast<std::uint64_t>(end - begin)) return search_groups(job, node);
  TaskId found;
  locality.visit(node, [&](TaskId id) {
    const Task& task = cluster_.tasks[id];
    if (task.state != TaskState::pending || taken_.contains(id) || !cluster_.blocks[task.block].on(store)) return true;
    found = id;
    return false;
  });
  return found;
}

TaskId Unassigned::search_groups(JobId job, NodeId node) {
  const StoreId store = cluster_.node_store[node];
  const std::vector<TaskGroup>& groups = cluster_.groups[job];
  for (std::uint32_t group = 0; group < groups.size(); ++group) {
    if (!groups[group].reads || !groups[group].zones.contains(cluster_.nodes[node].zone)) continue;
    for (TaskId id = first(job, group); id.valid(); id = cluster_.tasks[id].next_pending)
      if (!taken_.contains(id) && cluster_.blocks[cluster_.tasks[id].block].on(store)) return id;
  }
  return TaskId::none();
}

TaskId Unassigned::near(JobId job, NodeId node) {
  return cluster_.nodes[node].rack.valid() ? on_rack(job, node) : in_zone(job, cluster_.nodes[node].zone);
}

TaskId Unassigned::on_rack(JobId job, NodeId node) {
  const RackId rack = cluster_.nodes[node].rack;
  if (!in_zone(job, cluster_.nodes[node].zone).valid()) return TaskId::none();
  if (listed_rack_ != rack) {
    listed_rack_ = rack;
    rack_nodes_.clear();
    for (NodeId other : cluster_.nodes.ids())
      if (cluster_.nodes[other].rack == rack) rack_nodes_.push_back(other);
  }
  for (NodeId other : rack_nodes_)
    if (const TaskId task = other == node ? TaskId::none() : on_node(job, other); task.valid()) return task;
  return TaskId::none();
}

template <class Wanted>
TaskId Unassigned::first_of_groups(JobId job, Wanted wanted) {
  const std::vector<TaskGroup>& groups = cluster_.groups[job];
  for (std::uint32_t group = 0; group < groups.size(); ++group)
    if (groups[group].count > 0 && wanted(groups[group]))
      if (const TaskId task = first(job, group); task.valid()) return task;
  return TaskId::none();
}

TaskId Unassigned::in_zone(JobId job, ZoneId zone) {
  return first_of_groups(job, [zone](const TaskGroup& group) { return group.reads && group.zones.contains(zone); });
}

TaskId Unassigned::anywhere(JobId job) {
  const TaskId task = remote(job);
  return task.valid() ? task : degraded(job);
}

TaskId Unassigned::remote(JobId job) {
  return first_of_groups(job, [](const TaskGroup& group) { return group.reads && !group.zones.empty(); });
}

TaskId Unassigned::without_input(JobId job) {
  return first_of_groups(job, [](const TaskGroup& group) { return !group.reads && group.kind == TaskKind::map; });
}

TaskId Unassigned::degraded(JobId job) {
  return first_of_groups(job, [](const TaskGroup& group) { return group.degraded; });
}

TaskId Unassigned::reduce(JobId job) {
  return first_of_groups(job, [](const TaskGroup& group) { return group.kind == TaskKind::reduce; });
}

}  // namespace lips
