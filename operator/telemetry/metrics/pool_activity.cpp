#include "telemetry/metrics/pool_activity.h"

#include <algorithm>

#include "model/costs.h"

namespace lips {

IdVector<PoolId, PoolActivity> pool_activity(const ClusterSnapshot& cluster) {
  double capacity = 0;
  for (const Node& node : cluster.nodes)
    if (node.schedulable) capacity += (node.capacity.cpu - node.others.cpu).value();
  IdVector<PoolId, PoolActivity> pools(cluster.pools.size());
  for (const PoolId pool : cluster.pools.ids()) {
    pools[pool].cores = cluster.pool_cores[pool].value();
    pools[pool].capacity = std::max(capacity, 1e-9);
  }
  for (const JobId id : cluster.pending) pools[cluster.jobs[id].pool].pending += cluster.jobs[id].pending;
  for (const RunningTask& run : cluster.running) {
    const Job& job = cluster.jobs[run.job];
    const Node& node = cluster.nodes[run.node];
    ++pools[job.pool].running;
    pools[job.pool].rate +=
        UsdPerHour((CostModel::work(job.request.cpu, std::chrono::hours(1), node) * node.cpu_price).value());
  }
  return pools;
}

}  // namespace lips
