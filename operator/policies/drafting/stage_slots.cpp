#include "policies/drafting/stage_slots.h"

#include <algorithm>
#include <cmath>

namespace lips::fair {

namespace {

// The tasks that run and wait.
class RunnableTasks {
 public:
  RunnableTasks(const ClusterSnapshot& cluster, LoadCounts counts)
      : cluster_(cluster), counts_(counts), pools_(cluster.pools.size()) {}

  void add(const Job& job, double tasks) {
    pools_[job.pool.index()].tasks += tasks;
    pools_[job.pool.index()].cores += tasks * job.request.cpu.value();
  }
  double sum() const {
    double sum = 0;
    for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
      const double maximum = cluster_.pools[PoolId(static_cast<std::uint32_t>(pool))].maximum.value();
      const Asked& asked = pools_[pool];
      const bool bounded = counts_ == LoadCounts::within_maxima && maximum > 0 && asked.cores > maximum;
      sum += bounded ? asked.tasks * maximum / asked.cores : asked.tasks;
    }
    return sum;
  }

 private:
  struct Asked {
    double tasks = 0, cores = 0;
  };
  const ClusterSnapshot& cluster_;
  LoadCounts counts_;
  std::vector<Asked> pools_;
};

}  // namespace

StageSlots::StageSlots(Draft& draft, double reduce_slots, LoadCounts counts)
    : draft_(draft), reduce_slots_(static_cast<std::int64_t>(reduce_slots)) {
  const ClusterSnapshot& cluster = draft.cluster;
  RunnableTasks asked[2] = {RunnableTasks(cluster, counts), RunnableTasks(cluster, counts)};
  if (separate())
    for (auto& on_node : on_node_) on_node.resize(cluster.nodes.size(), 0);
  for (const RunningTask& run : cluster.running) {
    const Task& task = cluster.tasks[run.task];
    const std::size_t stage = row(task.kind);
    if (separate()) ++on_node_[stage][run.node];
    ++running_[stage];
    asked[stage].add(cluster.jobs[task.job], 1);
  }
  for (const JobId id : cluster.pending) {
    const Job& job = cluster.jobs[id];
    asked[row(stage_of(job))].add(job, job.pending);
  }
  for (const std::size_t stage : {0, 1}) runnable_[stage] = asked[stage].sum();
}

std::int64_t StageSlots::slots(TaskKind stage, FreeCapacity::Kind kind, NodeId node) const {
  const std::int64_t all = fit_count(draft_.free.request(kind), draft_.cluster.nodes[node].capacity);
  if (!separate() || all <= reduce_slots_) return all;
  return stage == TaskKind::reduce ? reduce_slots_ : all - reduce_slots_;
}

std::int64_t StageSlots::all_slots(TaskKind stage, FreeCapacity::Kind kind) {
  std::vector<std::int64_t>& known = all_slots_[row(stage)];
  if (known.size() <= kind) known.resize(kind + 1, -1);
  if (known[kind] >= 0) return known[kind];
  std::int64_t count = 0;
  for (const NodeId node : draft_.cluster.nodes.ids())
    if (draft_.cluster.nodes[node].schedulable) count += slots(stage, kind, node);
  return known[kind] = count;
}

std::int64_t StageSlots::running(TaskKind stage, FreeCapacity::Kind kind, NodeId node) const {
  if (separate()) return on_node_[row(stage)][node];
  return slots(stage, kind, node) - fit_count(draft_.free.request(kind), draft_.free.left(node));
}

bool StageSlots::has_slot(TaskKind stage, FreeCapacity::Kind kind, NodeId node) {
  if (!draft_.free.can_take(kind, node)) return false;
  const std::int64_t own = slots(stage, kind, node), used = running(stage, kind, node);
  if (used >= own) return false;
  const double load = runnable_[row(stage)] / static_cast<double>(all_slots(stage, kind));
  return static_cast<double>(used) < std::ceil(load * static_cast<double>(own));
}

void StageSlots::take(TaskKind stage, NodeId node) {
  if (separate()) ++on_node_[row(stage)][node];
}

double StageSlots::cores(TaskKind stage) const {
  double sum = 0;
  for (const Node& node : draft_.cluster.nodes) {
    if (!node.schedulable) continue;
    const double all = std::min(node.capacity.cpu.value(), static_cast<double>(node.capacity.slots));
    const auto reserved = static_cast<double>(reduce_slots_);
    sum += !separate() || all <= reserved ? all : stage == TaskKind::reduce ? reserved : all - reserved;
  }
  return sum;
}

double StageSlots::free_cores(TaskKind stage) const {
  double sum = 0;
  for (const NodeId id : draft_.cluster.nodes.ids()) {
    const Node& node = draft_.cluster.nodes[id];
    if (!node.schedulable) continue;
    const Resources& left = draft_.free.left(id);
    double free = std::min(left.cpu.value(), static_cast<double>(left.slots));
    const double all = std::min(node.capacity.cpu.value(), static_cast<double>(node.capacity.slots));
    const auto reserved = static_cast<double>(reduce_slots_);
    if (separate() && all > reserved) {
      const double own = stage == TaskKind::reduce ? reserved : all - reserved;
      free = std::min(free, own - static_cast<double>(on_node_[row(stage)][id]));
    }
    sum += std::max(0.0, free);
  }
  return sum;
}

}  // namespace lips::fair
