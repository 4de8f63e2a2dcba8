#include "policies/lips/placing/far_reads.h"

#include <algorithm>
#include <map>

#include "model/jobs_in_parts.h"

namespace lips {

std::vector<JobId> far_for_nothing(const ClusterSnapshot& cluster, const Workload& workload,
                                   const std::vector<Placement>& placements) {
  struct Starts {
    std::uint32_t all = 0, far = 0;
  };
  const PendingParts parts(cluster);
  std::map<JobId, Starts> of_job;  // by its first part
  for (const Placement& placement : placements) {
    const Portion& portion = workload.portions[placement.portion];
    const TaskGroup& group = cluster.groups[portion.job][portion.group];
    Starts& starts = of_job[parts.first(portion.job)];
    starts.all += placement.tasks;
    if (group.reads && !group.zones_soon().contains(cluster.nodes[placement.node].zone)) starts.far += placement.tasks;
  }
  std::vector<JobId> jobs;
  for (const auto& [job, starts] : of_job) {
    std::uint32_t pending = 0;
    parts.each(job, [&](JobId part) { pending += cluster.jobs[part].pending; });
    if (starts.far > 0 && starts.all < pending) parts.each(job, [&](JobId part) { jobs.push_back(part); });
  }
  std::sort(jobs.begin(), jobs.end());
  return jobs;
}

}  // namespace lips
