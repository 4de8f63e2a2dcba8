#include "model/gangs.h"

#include <algorithm>
#include <utility>

namespace lips {

std::map<WholeJobId, std::uint32_t> short_gangs(const ClusterSnapshot& cluster) {
  std::map<WholeJobId, std::uint32_t> missing;
  for (const JobId id : cluster.pending)
    if (const WholeJob& whole = cluster.jobs[id].whole; whole.gang > whole.finished_maps)
      missing[whole.id] = whole.gang - whole.finished_maps;
  if (missing.empty()) return missing;
  for (const RunningTask& run : cluster.running)
    if (const auto gang = missing.find(cluster.jobs[run.job].whole.id); gang != missing.end() && --gang->second == 0)
      missing.erase(gang);
  return missing;
}

void hold_back_parts_of_gangs(const ClusterSnapshot& cluster, Plan& plan) {
  const std::map<WholeJobId, std::uint32_t> missing = short_gangs(cluster);
  if (missing.empty()) return;
  const auto job_of = [&](const Assignment& assignment) {
    return cluster.tasks.contains(assignment.task) ? cluster.jobs[cluster.tasks[assignment.task].job].whole.id
                                                   : WholeJobId::none();
  };
  std::map<WholeJobId, std::uint32_t> starts;
  for (const Assignment& assignment : plan.assignments) ++starts[job_of(assignment)];
  const auto is_part = [&](const Assignment& assignment) {
    const auto gang = missing.find(job_of(assignment));
    return gang != missing.end() && starts[gang->first] < gang->second;
  };
  for (const Assignment& assignment : plan.assignments)
    if (is_part(assignment)) plan.deferrals.push_back({assignment.task, DeferralReason::waits_for_peers});
  if (std::erase_if(plan.assignments, is_part) == 0) return;
  plan.account.objective.reset();
  plan.account.lower_bound.reset();
}

}  // namespace lips
