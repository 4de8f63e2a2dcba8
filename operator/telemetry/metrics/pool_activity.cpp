#include "telemetry/metrics/pool_activity.h"

#include <algorithm>
#include <vector>

#include "model/costs.h"
#include "model/fair_shares.h"

namespace lips {

IdVector<PoolId, PoolActivity> pool_activity(const ClusterSnapshot& cluster) {
  double capacity = 0;
  for (const Node& node : cluster.nodes)
    if (node.schedulable) capacity += (node.capacity.cpu - node.others.cpu).value();
  IdVector<PoolId, PoolActivity> pools(cluster.pools.size());
  std::vector<double> demand;
  for (const PoolId pool : cluster.pools.ids()) {
    pools[pool].cores = cluster.pool_cores[pool].value();
    pools[pool].capacity = std::max(capacity, 1e-9);
    demand.push_back(pools[pool].cores);
  }
  for (const JobId id : cluster.pending) {
    const Job& job = cluster.jobs[id];
    pools[job.pool].pending += job.pending;
    demand[job.pool.index()] += job.request.cpu.value() * job.pending;
  }
  for (const RunningTask& run : cluster.running) {
    const Job& job = cluster.jobs[run.job];
    const Node& node = cluster.nodes[run.node];
    ++pools[job.pool].running;
    pools[job.pool].rate +=
        UsdPerHour((CostModel::work(job.request.cpu, std::chrono::hours(1), node) * node.cpu_price).value());
  }
  const std::vector<double> fair = fair_shares(cluster.pools.items(), demand, capacity);
  for (const PoolId pool : pools.ids()) pools[pool].fair = fair[pool.index()];
  return pools;
}

}  // namespace lips
