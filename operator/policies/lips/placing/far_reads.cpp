#include "policies/lips/placing/far_reads.h"

#include <map>

namespace lips {

std::vector<JobId> far_for_nothing(const ClusterSnapshot& cluster, const Workload& workload,
                                   const std::vector<Placement>& placements) {
  struct Starts {
    std::uint32_t all = 0, far = 0;
  };
  std::map<JobId, Starts> of_job;
  for (const Placement& placement : placements) {
    const Portion& portion = workload.portions[placement.portion];
    const TaskGroup& group = cluster.groups[portion.job][portion.group];
    Starts& starts = of_job[portion.job];
    starts.all += placement.tasks;
    if (group.reads && !group.zones.contains(cluster.nodes[placement.node].zone)) starts.far += placement.tasks;
  }
  std::vector<JobId> jobs;
  for (const auto& [job, starts] : of_job)
    if (starts.far > 0 && starts.all < cluster.jobs[job].pending) jobs.push_back(job);
  return jobs;
}

}  // namespace lips
