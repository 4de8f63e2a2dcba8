#include "telemetry/metrics/plan_comparison.h"

#include <algorithm>

namespace lips {

std::vector<ComparedTask> compare_plans(const ClusterSnapshot& cluster, const CostModel& costs, const Plan& ours,
                                        const Plan& theirs) {
  std::vector<const Assignment*> by_task;
  by_task.reserve(theirs.assignments.size());
  for (const Assignment& assignment : theirs.assignments) by_task.push_back(&assignment);
  const auto before = [](const Assignment* a, const Assignment* b) { return a->task < b->task; };
  std::sort(by_task.begin(), by_task.end(), before);
  std::vector<ComparedTask> compared;
  for (const Assignment& assignment : ours.assignments) {
    const auto found = std::lower_bound(by_task.begin(), by_task.end(), &assignment, before);
    if (found == by_task.end() || (*found)->task != assignment.task) continue;
    compared.push_back({assignment.task, task_bill(cluster, costs, cluster.tasks[assignment.task], **found),
                        cluster.nodes[(*found)->node].cpu_price});
  }
  return compared;
}

}  // namespace lips
