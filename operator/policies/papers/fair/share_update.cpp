#include "policies/papers/fair/share_update.h"

#include <algorithm>
#include <vector>

#include "policies/papers/fair/classification.h"
#include "policies/papers/fair/demand_shares.h"
#include "policies/papers/fair/fair_round.h"

namespace lips::fair {

namespace {

// Jobs that are not finished: some task waits or runs.
std::vector<JobId> present_jobs(const ClusterSnapshot& cluster) {
  std::vector<JobId> jobs = cluster.pending;
  for (const RunningTask& run : cluster.running) jobs.push_back(run.job);
  std::ranges::sort(jobs);
  const auto repeated = std::ranges::unique(jobs);
  jobs.erase(repeated.begin(), repeated.end());
  return jobs;
}

double slots_per_node(const ClusterSnapshot& cluster, const StageSlots& slots) {
  const auto nodes = std::ranges::count_if(cluster.nodes, [](const Node& node) { return node.schedulable; });
  return nodes > 0 ? slots.cores(TaskKind::map) / static_cast<double>(nodes) : 0;
}

// Tasks that no node can run do not count, else they would hold slots for ever.
double servable_demand(Draft& probe, const Job& job, JobId id) {
  const Pool& pool = probe.cluster.pools[job.pool];
  if (pool.maximum.value() > 0 && job.request.cpu > pool.maximum) return 0;
  if (probe.free.zones_that_could_take(probe.free.kind_of(job)).empty()) return 0;
  double tasks = 0;
  for (const TaskGroup& group : probe.cluster.groups[id])
    if (can_run(group) || group.degraded) tasks += group.count;
  return tasks * job.request.cpu.value();
}

}  // namespace

ShareMemory current_shares(Draft& draft, const StageSlots& slots, const ModifiedFairSettings& settings) {
  const ClusterSnapshot& cluster = draft.cluster;
  const std::size_t small = cluster.pools.size();
  if (cluster.shares && cluster.shares->slots.size() == small + 1 &&
      cluster.now - cluster.shares->at < settings.update_every)
    return *cluster.shares;
  ShareMemory shares;
  shares.at = cluster.now;
  shares.slots.assign(small + 1, 0.0);
  std::vector<std::uint32_t> sizes;
  for (const JobId job : present_jobs(cluster))
    if (cluster.jobs[job].map_tasks > 0) sizes.push_back(cluster.jobs[job].map_tasks);
  shares.least_job = least_job_size(sizes);
  shares.small_pool = settings.small_pool && small_pool_is_useful(sizes, slots_per_node(cluster, slots));
  if (!settings.demand_shares) return shares;

  const std::vector<PoolLoad> loads = pool_loads(draft, slots, TaskKind::map, shares.small_pool ? &shares : nullptr);
  std::vector<PoolDemand> pools(small);
  for (std::size_t pool = 0; pool < small; ++pool) {
    pools[pool].running = loads[pool].workload;
    pools[pool].maximum = cluster.pools[PoolId(static_cast<std::uint32_t>(pool))].maximum.value();
  }
  double free = slots.free_cores(TaskKind::map);
  for (const JobId id : cluster.pending) {
    const Job& job = cluster.jobs[id];
    if (slots.separate() && stage_of(job) != TaskKind::map) continue;
    if (!is_small(job, shares)) pools[job.pool.index()].pending += servable_demand(draft, job, id);
  }
  if (shares.small_pool) {
    shares.slots[small] = small_pool_slots(shares.least_job);
    free = std::max(0.0, free - std::max(0.0, shares.slots[small] - loads[small].workload));
  }
  const std::vector<double> given = demand_shares(free, pools, settings.share_base);
  std::ranges::copy(given, shares.slots.begin());
  return shares;
}

}  // namespace lips::fair
