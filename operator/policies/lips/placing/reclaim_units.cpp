#include "policies/lips/placing/reclaim_units.h"

#include <algorithm>
#include <map>

namespace lips {

Usd lost_with(const ClusterSnapshot& cluster, const CostModel& costs, const RunningTask& run) {
  const Task& task = cluster.tasks[run.task];
  const Node& node = cluster.nodes[run.node];
  NearestReplica from;
  if (task.block.valid() && !task.degraded) from = nearest_replica(cluster, costs, task.block, run.node);
  const Duration all = expected_duration(cluster, task, run.node, from.locality);
  const Duration so_far = std::max(Duration(0), all - (run.expected_end - cluster.now));
  Usd usd = CostModel::cpu(CostModel::work(cluster.jobs[run.job].request.cpu, so_far, node), node);
  if (from.store.valid() && all > Duration(0))
    usd += task.input * costs.transfer(cluster.stores[from.store].zone, node.zone) *
           std::min(1.0, to_seconds(so_far) / to_seconds(all));
  return usd;
}

PlannedStarts planned_starts(const ClusterSnapshot& cluster, const std::vector<Assignment>& assignments) {
  PlannedStarts starts;
  IdVector<NodeId, Resources> free = cluster.free;
  IdVector<NodeId, bool> full(cluster.nodes.size(), false);
  for (const Assignment& assignment : assignments) {
    const Resources& request = cluster.jobs[cluster.tasks[assignment.task].job].request;
    const bool blocked = full[assignment.node] || !fits(request, free[assignment.node]);
    full[assignment.node] = blocked;
    if (!blocked) free[assignment.node] -= request;
    (blocked ? starts.later : starts.now).push_back(assignment);
  }
  return starts;
}

namespace {

// The running peers of one job.
struct Together {
  std::vector<const RunningTask*> runs;
  bool whole = false;   // a gang: one is lost with the others
  bool leaves = false;  // some of them cannot be taken back
};

}  // namespace

bool lends(const PoolShares& shares, PoolId pool) {
  return dominant_share(shares.claims[pool].used, shares.capacity) > shares.of[pool].share + 1e-9;
}

std::vector<ReclaimUnit> reclaim_units(const ReclaimSource& source, const std::vector<Assignment>& starts) {
  const ClusterSnapshot& cluster = source.cluster;
  const std::size_t resources = source.shares.capacity.size();
  IdVector<PoolId, bool> above;
  for (const PoolId pool : cluster.pools.ids()) above.push_back(lends(source.shares, pool));
  std::vector<ReclaimUnit> units;
  const auto unit_of = [&](const std::vector<const RunningTask*>& runs) {
    ReclaimUnit unit;
    unit.pool = cluster.jobs[runs.front()->job].pool;
    unit.priority = cluster.jobs[runs.front()->job].priority;
    unit.amounts.assign(resources, 0.0);
    for (const RunningTask* run : runs) {
      const Resources& request = cluster.jobs[run->job].request;
      const Usd lost = lost_with(cluster, source.costs, *run);
      unit.priority = std::max(unit.priority, cluster.jobs[run->job].priority);
      unit.usd += lost.value();
      unit.tasks.push_back({run->task, PoolId::none(), lost});
      unit.room.emplace_back(run->node, request);
      add_amounts(unit.amounts, request, 1);
    }
    return unit;
  };
  const auto stays = [&](const RunningTask& run) {
    const Job& job = cluster.jobs[run.job];
    return run.leaves() || run.stays_until > cluster.now || cluster.tasks[run.task].state != TaskState::running ||
           !(above[job.pool] || source.gaps[job.pool].is_above(job));
  };
  std::map<WholeJobId, Together> together;
  for (const RunningTask& run : cluster.running) {
    const Job& job = cluster.jobs[run.job];
    if (!above[job.pool] && !source.gaps[job.pool].is_open()) continue;
    if (job.whole.peers) {
      Together& peers = together[job.whole.id];
      peers.runs.push_back(&run);
      peers.whole = peers.whole || job.whole.gang > 0;
      peers.leaves = peers.leaves || stays(run);
    } else if (!stays(run)) {
      units.push_back(unit_of({&run}));
    }
  }
  for (const auto& [id, peers] : together) {
    if (peers.whole && !peers.leaves) units.push_back(unit_of(peers.runs));
    if (peers.whole) continue;
    for (const RunningTask* run : peers.runs)  // an application ends with its driver
      if (!cluster.jobs[run->job].coordinates && !stays(*run)) units.push_back(unit_of({run}));
  }
  for (const Assignment& start : starts) {
    const Job& job = cluster.jobs[cluster.tasks[start.task].job];
    if (job.whole.peers) continue;
    ReclaimUnit unit;
    unit.pool = job.pool, unit.priority = job.priority, unit.starts = true;
    unit.tasks = {{start.task, PoolId::none(), Usd(0)}}, unit.room = {{start.node, job.request}};
    unit.amounts.assign(resources, 0.0);
    add_amounts(unit.amounts, job.request, 1);
    units.push_back(std::move(unit));
  }
  std::sort(units.begin(), units.end(), [](const ReclaimUnit& a, const ReclaimUnit& b) {
    if (a.usd != b.usd) return a.usd < b.usd;
    return a.starts != b.starts ? a.starts : b.tasks.front().task < a.tasks.front().task;
  });
  return units;
}

bool has_waiting_tasks(const ClusterSnapshot& cluster, PoolId pool) {
  return std::any_of(cluster.pending.begin(), cluster.pending.end(),
                     [&](JobId job) { return cluster.jobs[job].pool == pool; });
}

IdVector<NodeId, bool> nodes_of_reclaimed(const ClusterSnapshot& cluster) {
  IdVector<NodeId, bool> nodes(cluster.nodes.size(), false);
  const IdVector<PoolId, PriorityGap> gaps = priority_gaps(cluster);
  const auto is_awaited = [&](const RunningTask& run) {
    const Job& job = cluster.jobs[run.job];
    return run.reclaimed_for == job.pool ? gaps[job.pool].is_above(job) : has_waiting_tasks(cluster, run.reclaimed_for);
  };
  for (const RunningTask& run : cluster.running)
    if (run.leaves() && is_awaited(run)) nodes[run.node] = true;
  return nodes;
}

void keep_room_of_reclaimed(const ClusterSnapshot& cluster, IdVector<NodeId, Resources>& free) {
  if (std::none_of(cluster.running.begin(), cluster.running.end(), [](const RunningTask& run) { return run.leaves(); }))
    return;
  const IdVector<NodeId, bool> nodes = nodes_of_reclaimed(cluster);
  for (const NodeId node : cluster.nodes.ids())
    if (nodes[node]) free[node] = Resources{Cores(0), Mebibytes(0), 0};
}

}  // namespace lips
