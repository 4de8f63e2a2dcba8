#include "policies/papers/degraded/local_load.h"

#include <algorithm>

namespace lips {

namespace {
constexpr double rounding = 1e-9;  // of sums taken in different orders
}

void LocalLoad::add(TaskId id, double sign) {
  const ClusterSnapshot& cluster = draft_.cluster;
  const Task& task = cluster.tasks[id];
  if (!task.block.valid()) return;
  for (const Replica& replica : cluster.blocks[task.block].replicas) {
    const NodeId node = cluster.stores[replica.store].node;
    if (!node.valid() || !cluster.nodes[node].schedulable) continue;
    const double power =
        by_power_ == NodePower::counts ? cluster.nodes[node].work_per(std::chrono::seconds(1)).value() : 1;
    if (power <= 0) continue;
    const double span = sign * task.cpu.value() / power;
    seconds_[node] += span;
    sum_ += span;
  }
}

void LocalLoad::count() {
  const ClusterSnapshot& cluster = draft_.cluster;
  counted_ = true;
  seconds_ = IdVector<NodeId, double>(cluster.nodes.size(), 0);
  for (const Node& node : cluster.nodes) nodes_ += node.schedulable ? 1 : 0;
  for (JobId job : cluster.pending)
    for (const TaskGroup& group : cluster.groups[job])
      if (group.reads && !group.zones.empty() && group.count > 0)
        for (TaskId task : cluster.tasks_of(group))
          if (!draft_.tasks.taken(task)) add(task, 1);
}

void LocalLoad::took(TaskId task) {
  if (counted_) add(task, -1);
}

bool LocalLoad::allows(NodeId node) {
  if (!counted_) count();
  const double mean = sum_ / static_cast<double>(std::max<std::size_t>(1, nodes_));
  if (rule_ == DegradedNodeTest::listing) return seconds_[node] < mean * (1 - rounding);
  return seconds_[node] <= mean * (1 + rounding) + rounding;
}

}  // namespace lips
