#include "telemetry/metrics/plan_comparison.h"

#include <algorithm>
#include <map>

#include "model/peers.h"
#include "model/task_bill.h"

namespace lips {

namespace {

void share_exchange(const ClusterSnapshot& cluster, const CostModel& costs, const std::vector<Assignment>& ours,
                    const std::vector<Assignment>& theirs, std::vector<ComparedTask>& compared) {
  const auto whole = [&](TaskId task) -> const WholeJob& { return cluster.jobs[cluster.tasks[task].job].whole; };
  std::map<WholeJobId, double> tasks;
  for (const Assignment& assignment : ours) ++tasks[whole(assignment.task).id];
  std::map<WholeJobId, Usd> our_cost = exchange_costs(cluster, costs, ours),
                            their_cost = exchange_costs(cluster, costs, theirs);
  for (ComparedTask& task : compared) {
    const WholeJob& job = whole(task.task);
    if (!job.peers) continue;
    task.our_exchange = our_cost[job.id] / tasks[job.id];
    task.theirs.shuffle += their_cost[job.id] / tasks[job.id];
  }
}

}  // namespace

std::vector<ComparedTask> compare_plans(const ClusterSnapshot& cluster, const CostModel& costs, const Plan& ours,
                                        const Plan& theirs) {
  std::vector<const Assignment*> by_task;
  by_task.reserve(theirs.assignments.size());
  for (const Assignment& assignment : theirs.assignments) by_task.push_back(&assignment);
  const auto before = [](const Assignment* a, const Assignment* b) { return a->task < b->task; };
  std::sort(by_task.begin(), by_task.end(), before);
  std::vector<ComparedTask> compared;
  std::vector<Assignment> peers_of_ours, peers_of_theirs;
  for (const Assignment& assignment : ours.assignments) {
    const auto found = std::lower_bound(by_task.begin(), by_task.end(), &assignment, before);
    if (found == by_task.end() || (*found)->task != assignment.task) continue;
    const Task& task = cluster.tasks[assignment.task];
    compared.push_back(
        {assignment.task, task_bill(cluster, costs, task, **found), cluster.nodes[(*found)->node].cpu_price, Usd(0)});
    if (!cluster.jobs[task.job].whole.peers) continue;
    peers_of_ours.push_back(assignment), peers_of_theirs.push_back(**found);
  }
  if (!peers_of_ours.empty()) share_exchange(cluster, costs, peers_of_ours, peers_of_theirs, compared);
  return compared;
}

}  // namespace lips
