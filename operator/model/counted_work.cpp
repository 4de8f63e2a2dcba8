#include "model/counted_work.h"

#include <algorithm>

#include "model/entitlements.h"
#include "model/unpaid_room.h"
#include "model/work_left.h"

namespace lips {

namespace {

// CPU-seconds within reach, by pool.
using PoolWork = IdVector<PoolId, double>;

// The work of tasks that run or wait.
PoolWork work_that_is_here(const ClusterSnapshot& cluster, Duration reach) {
  PoolWork work(cluster.pools.size(), 0.0);
  for (const JobId id : cluster.pending) work[cluster.jobs[id].pool] += cluster.jobs[id].pending_work.value();
  for (const RunningTask& run : cluster.running) {
    const Duration left = std::clamp(run.expected_end - cluster.now, Duration(0), reach);
    const Job& job = cluster.jobs[run.job];
    work[job.pool] += job.request.cpu.value() * cluster.nodes[run.node].speed * to_seconds(left);
  }
  return work;
}

PoolWork work_to_come(const ClusterSnapshot& cluster, const CountedWork& counted) {
  PoolWork work(cluster.pools.size(), 0.0);
  for (std::size_t i = 0; i < counted.chances.size(); ++i)
    if (const PoolId pool = cluster.expected[i].pool; pool.valid()) work[pool] += counted.work(cluster, i);
  return work;
}

// The part of each pool's expected work on which others count, 0 to 1.
IdVector<PoolId, double> parts(const ClusterSnapshot& cluster, const CountedWork& counted, Duration budget) {
  IdVector<PoolId, double> part(cluster.pools.size(), 1.0);
  const PoolWork here = work_that_is_here(cluster, counted.reach), to_come = work_to_come(cluster, counted);
  IdVector<PoolId, PoolClaim> claims;
  std::size_t pools = 0;
  for (const PoolId id : part.ids()) {
    const double second = 1 / to_seconds(counted.reach);
    claims.push_back({{here[id] * second}, {(here[id] + to_come[id]) * second}});
    pools += here[id] + to_come[id] > 0;
  }
  if (pools < 2) return part;
  const ResourceAmounts capacity{work_rate(cluster)};
  const IdVector<PoolId, Entitlement> shares = entitlements(cluster.pools, claims, capacity);
  const CpuSeconds most = most_unpaid(cluster, budget);
  for (const PoolId id : part.ids()) {
    if (to_come[id] <= 0) continue;
    const double entitled = shares[id].share * capacity.front() * to_seconds(counted.reach);
    if (shares[id].limits()) part[id] = std::clamp((entitled - here[id]) / to_come[id], 0.0, 1.0);
    if (cluster.pools[id].unpaid_room > most) part[id] = 0;
  }
  return part;
}

}  // namespace

CountedWork count_on(const ClusterSnapshot& cluster, Duration reach, Duration budget) {
  CountedWork counted{reach, {}};
  if (cluster.expected.empty() || reach <= Duration(0)) return counted;
  for (const ExpectedWork& work : cluster.expected)
    counted.chances.push_back(work.counts(cluster.now, reach) ? work.chance : 0);
  const IdVector<PoolId, double> part = parts(cluster, counted, budget);
  for (std::size_t i = 0; i < counted.chances.size(); ++i)
    if (const PoolId pool = cluster.expected[i].pool; pool.valid()) counted.chances[i] *= part[pool];
  return counted;
}

}  // namespace lips
