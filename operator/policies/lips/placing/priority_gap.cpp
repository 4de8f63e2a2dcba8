#include "policies/lips/placing/priority_gap.h"

#include <algorithm>

namespace lips {

IdVector<PoolId, PriorityGap> priority_gaps(const ClusterSnapshot& cluster) {
  IdVector<PoolId, PriorityGap> gaps(cluster.pools.size());
  for (const JobId id : cluster.pending)
    if (const Job& job = cluster.jobs[id]; job.preempts)
      gaps[job.pool].waits = std::max(gaps[job.pool].waits, job.priority);
  for (const RunningTask& run : cluster.running) {
    const Job& job = cluster.jobs[run.job];
    gaps[job.pool].runs = std::min(gaps[job.pool].runs, job.priority);
  }
  return gaps;
}

}  // namespace lips
