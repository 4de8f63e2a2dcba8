// The plan loop without a simulator: plan, bind what fits, let the task that ends first end, plan again.
#pragma once

#include <algorithm>
#include <deque>
#include <tuple>
#include <vector>

#include "model/cluster_state.h"
#include "model/degraded_read.h"
#include "policies/policy.h"

namespace lips::testing {

inline std::vector<NodeId> all_nodes(const ClusterSnapshot& cluster) {
  std::vector<NodeId> nodes;
  for (NodeId node : cluster.nodes.ids()) nodes.push_back(node);
  return nodes;
}

// Could the task ever run: some node takes it, its pool's maximum lets it, its input exists?
inline bool servable(const ClusterSnapshot& cluster, TaskId id) {
  const Task& task = cluster.tasks[id];
  const Job& job = cluster.jobs[task.job];
  const Pool& pool = cluster.pools[job.pool];
  if (task.block.valid() && cluster.blocks[task.block].replicas.empty() && !decodable(cluster, task.block))
    return false;
  if (pool.maximum.value() > 0 && job.request.cpu > pool.maximum) return false;
  for (NodeId node : cluster.nodes.ids())
    if (cluster.nodes[node].schedulable && fits(job.request, cluster.nodes[node].capacity) &&
        cluster.eligible(job.constraint, node))
      return true;
  return false;
}

class ClosedLoop {
 public:
  ClosedLoop(ClusterState& state, const Policy& policy, const CostModel& costs)
      : state_(state), policy_(policy), costs_(costs) {}

  // Until nothing runs or waits that could run, at most that many plans.
  void run(int plans) {
    for (; plans > 0 && !done(); --plans) step();
  }

 private:
  bool done() const {
    const ClusterSnapshot& cluster = state_.snapshot();
    if (!cluster.running.empty()) return false;
    for (JobId job : cluster.pending)
      for (const TaskGroup& group : cluster.groups[job])
        if (group.count > 0 && servable(cluster, group.first)) return false;
    return true;
  }

  void step() {
    const ClusterSnapshot& cluster = state_.snapshot();
    const std::vector<NodeId> reporting = all_nodes(cluster);
    Result<Plan> plan = policy_.decide({cluster, costs_, 1, reporting, nullptr});
    if (!plan) return;
    for (const Remembered& remembered : plan->remember) state_.remember(remembered);
    if (plan->remember_shares) state_.remember(*plan->remember_shares);
    for (const DataMove& move : plan->moves) state_.apply(ReplicaAdded{move.block, {move.to, true, cluster.now}});
    for (const Assignment& assignment : plan->assignments)
      if (!assignment.sources.empty() || assignment.read_from.valid() == cluster.tasks[assignment.task].block.valid())
        state_.assume(assignment);
    advance(plan->replan_after.value_or(policy_.cadence().interval));
  }

  // To the next end of a task, or to the next plan when that is earlier or nothing runs.
  void advance(Duration interval) {
    const ClusterSnapshot& cluster = state_.snapshot();
    const auto sooner = [](const RunningTask& a, const RunningTask& b) {
      return std::tuple(a.expected_end, a.task) < std::tuple(b.expected_end, b.task);
    };
    const auto next = std::min_element(cluster.running.begin(), cluster.running.end(), sooner);
    if (next == cluster.running.end() || next->expected_end > cluster.now + interval)
      return state_.advance(cluster.now + interval);
    const RunningTask ended = *next;
    state_.advance(std::max(cluster.now, ended.expected_end));
    state_.apply(TaskFinished{ended.task, ended.node});
  }

  ClusterState& state_;
  const Policy& policy_;
  CostModel costs_;
};

}  // namespace lips::testing
