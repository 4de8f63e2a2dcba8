#include "policies/papers/pipeline/place_tasks.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/task_bill.h"
#include "policies/papers/lsap/task_costs.h"

namespace lips::pipeline {

namespace {

TaskId next_task(Draft& draft, JobId job) {
  const std::vector<TaskGroup>& groups = draft.cluster.groups[job];
  for (std::uint32_t group = 0; group < groups.size(); ++group)
    if (can_run(groups[group]))
      if (const TaskId task = draft.tasks.first(job, group); task.valid()) return task;
  return TaskId::none();
}

// A task of the job whose input lies on a node with room.
Assignment local_place(Draft& draft, JobId job, FreeCapacity::Kind kind) {
  const std::vector<TaskGroup>& groups = draft.cluster.groups[job];
  for (std::uint32_t group = 0; group < groups.size(); ++group) {
    if (!groups[group].reads) continue;
    for (TaskId task = draft.tasks.first(job, group); task.valid(); task = draft.cluster.tasks[task].next_pending) {
      if (draft.tasks.taken(task)) continue;
      for (const Replica& replica : draft.cluster.blocks[draft.cluster.tasks[task].block].replicas)
        if (const NodeId node = draft.cluster.stores[replica.store].node;
            node.valid() && draft.free.can_take(kind, node))
          return {task, node, {}, {}};
    }
  }
  return {};
}

lsap::TaskCost cost_of(const ClusterSnapshot& cluster, TaskId task, const lsap::LevelCosts& levels) {
  lsap::TaskCost cost;
  for (const Locality level : {Locality::node, Locality::rack, Locality::zone, Locality::remote})
    if (cluster.tasks[task].block.valid()) cost.at[level] = levels.of(level, cluster.tasks[task].input);
  return cost;
}

}  // namespace

Assignment nearest_place(Draft& draft, JobId job) {
  const FreeCapacity::Kind kind = draft.free.kind_of(draft.cluster.jobs[job]);
  if (Assignment local = local_place(draft, job, kind); local.task.valid()) return local;
  const TaskId task = next_task(draft, job);
  if (!task.valid()) return {};
  const BlockId block = draft.cluster.tasks[task].block;
  Assignment best;
  Locality nearest = Locality::none;
  for (const NodeId node : draft.free.open()) {
    if (!draft.free.can_take(kind, node)) continue;
    const Locality level = nearest_replica(draft.cluster, draft.costs, block, node).locality;
    if (best.task.valid() && level >= nearest) continue;
    best = {task, node, {}, {}};
    nearest = level;
  }
  return best;
}

std::vector<TaskId> assign_by_lsap(Draft& draft, const std::vector<TaskId>& tasks, const PolicySettings& settings) {
  const ClusterSnapshot& cluster = draft.cluster;
  lsap::Wave wave = lsap::gather_wave(draft, false, 1);
  wave.tasks.clear();
  wave.left_out.clear();
  for (const TaskId task : tasks)
    wave.tasks.push_back({task, draft.free.kind_of(cluster.jobs[cluster.tasks[task].job]), true});
  wave.waiting = tasks.size();
  if (wave.slots == 0 || tasks.empty()) return tasks;
  const lsap::LevelCosts levels = lsap::level_costs(cluster.network, settings);
  std::vector<lsap::TaskCost> costs;
  for (const TaskId task : tasks) costs.push_back(cost_of(cluster, task, levels));
  std::vector<bool> placed(tasks.size(), false);
  for (const lsap::Placed& at : lsap::solve_placement(cluster, wave, levels, costs, lsap::most_dense_pairs).placed) {
    if (!draft.free.can_take(wave.tasks[at.task].kind, wave.nodes[at.node].node)) continue;
    draft.assign(tasks[at.task], wave.nodes[at.node].node);
    placed[at.task] = true;
  }
  std::vector<TaskId> left;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (!placed[i]) left.push_back(tasks[i]);
  return left;
}

namespace {

// Planned tasks that may trade places: what they ask for, and where nodes differ in nothing that costs.
using Class = std::tuple<FreeCapacity::Kind, ZoneId, double, double, ProfileId>;

void exchange(const PolicyInput& input, const PolicySettings& settings, const std::vector<std::size_t>& members,
              Plan& plan) {
  const ClusterSnapshot& cluster = input.cluster;
  std::map<NodeId, std::int32_t> slots;
  lsap::Wave wave;
  for (const std::size_t i : members) {
    ++slots[plan.assignments[i].node];
    wave.tasks.push_back({plan.assignments[i].task, 0, true});
  }
  for (const auto& [node, count] : slots) wave.nodes.push_back({node, count});
  wave.takes.assign(1, std::vector<std::uint8_t>(wave.nodes.size(), 1));
  wave.slots = wave.waiting = members.size();
  const lsap::LevelCosts levels = lsap::level_costs(cluster.network, settings);
  std::vector<lsap::TaskCost> costs;
  for (const std::size_t i : members) costs.push_back(cost_of(cluster, plan.assignments[i].task, levels));
  for (const lsap::Placed& at : lsap::solve_placement(cluster, wave, levels, costs, lsap::most_dense_pairs).placed) {
    Assignment& assignment = plan.assignments[members[at.task]];
    const Task& task = cluster.tasks[assignment.task];
    const Bill before = task_bill(cluster, input.costs, task, assignment);
    assignment.node = wave.nodes[at.node].node;
    assignment.read_from = nearest_replica(cluster, input.costs, task.block, assignment.node).store;
    if (assignment.keep_in == assignment.read_from) assignment.keep_in = StoreId::none();
    const Bill after = task_bill(cluster, input.costs, task, assignment);
    plan.account.transfer += after.transfer - before.transfer;
  }
}

}  // namespace

void exchange_by_lsap(const PolicyInput& input, const PolicySettings& settings, Plan& plan) {
  const ClusterSnapshot& cluster = input.cluster;
  FreeCapacity free(cluster);
  std::map<Class, std::vector<std::size_t>> classes;
  for (std::size_t i = 0; i < plan.assignments.size(); ++i) {
    const Assignment& assignment = plan.assignments[i];
    const Task& task = cluster.tasks[assignment.task];
    const Node& node = cluster.nodes[assignment.node];
    const FreeCapacity::Kind kind = free.kind_of(cluster.jobs[task.job]);
    if (!free.can_take(kind, assignment.node)) continue;  // starts later
    free.take(kind, assignment.node);
    const bool reads_what_is_there =
        assignment.read_from.valid() && cluster.blocks[task.block].on(assignment.read_from);
    if (reads_what_is_there && plan.drops.empty())
      classes[{kind, node.zone, node.cpu_price.value(), node.speed, node.profile}].push_back(i);
  }
  for (const auto& [ignored, members] : classes)
    if (members.size() > 1) exchange(input, settings, members, plan);
}

}  // namespace lips::pipeline
