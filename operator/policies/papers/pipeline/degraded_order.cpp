#include "policies/papers/pipeline/degraded_order.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/task_bill.h"
#include "policies/papers/degraded/local_load.h"
#include "policies/papers/degraded/pacing.h"
#include "policies/papers/degraded/rack_spacing.h"

namespace lips::pipeline {

namespace {

// Within the pool's maximum, with what runs and what was started here.
bool pool_allows(const Draft& draft, const Job& job, const IdVector<PoolId, Cores>& started) {
  const Cores most = draft.cluster.pools[job.pool].maximum;
  return most.value() <= 0 ||
         draft.cluster.pool_cores[job.pool] + started[job.pool] + job.request.cpu <= most + Cores(1e-6);
}

void take_back(const PolicyInput& input, const Assignment& assignment, PlanAccount& account) {
  const Bill bill = task_bill(input.cluster, input.costs, input.cluster.tasks[assignment.task], assignment);
  account.cpu -= bill.cpu;
  account.transfer -= bill.transfer;
  account.shuffle -= bill.shuffle;
}

}  // namespace

void start_due_degraded(Draft& draft, const PolicySettings& settings) {
  const ClusterSnapshot& cluster = draft.cluster;
  draft.source_rule.choice = settings.degraded.sources;
  std::vector<NodeId> nodes = draft.free.open();
  std::ranges::stable_sort(nodes, {}, [&](NodeId node) { return cluster.nodes[node].cpu_price; });
  LocalLoad load(draft, settings);
  RackSpacing racks(draft, settings);
  IdVector<PoolId, Cores> started(cluster.pools.size());
  for (const JobId id : jobs_by_priority(cluster)) {
    const Job& job = cluster.jobs[id];
    const FreeCapacity::Kind kind = draft.free.kind_of(job);
    for (auto node = nodes.begin(); node != nodes.end();) {
      const TaskId task = draft.tasks.degraded(id);
      if (!task.valid() || !map_progress(draft, id).degraded_due() || !pool_allows(draft, job, started)) break;
      if (!draft.free.can_take(kind, *node) || !racks.allows(*node, task) || !load.allows(*node)) {
        ++node;
        continue;
      }
      draft.assign(task, *node);
      load.took(task);
      racks.launched(*node);
      started[job.pool] += job.request.cpu;
      node = nodes.erase(node);
    }
  }
}

void put_degraded_first(const PolicyInput& input, const PolicySettings& settings, Plan& plan) {
  const ClusterSnapshot& cluster = input.cluster;
  Draft draft(input);
  start_due_degraded(draft, settings);
  FreeCapacity before(cluster);
  std::vector<Assignment> kept;
  for (Assignment& assignment : plan.assignments) {
    const Job& job = cluster.jobs[cluster.tasks[assignment.task].job];
    const FreeCapacity::Kind then = before.kind_of(job), now = draft.free.kind_of(job);
    const bool fitted = before.can_take(then, assignment.node), fits_now = draft.free.can_take(now, assignment.node);
    if (fitted) before.take(then, assignment.node);
    if (fitted && !fits_now) {
      take_back(input, assignment, plan.account);
      continue;
    }
    if (fits_now) draft.free.take(now, assignment.node);
    kept.push_back(std::move(assignment));
  }
  Plan degraded = draft.finish(plan.rest);
  std::erase_if(plan.deferrals, [&](const Deferral& deferral) { return draft.tasks.taken(deferral.task); });
  plan.assignments = std::move(degraded.assignments);
  plan.assignments.insert(plan.assignments.end(), std::make_move_iterator(kept.begin()),
                          std::make_move_iterator(kept.end()));
  plan.account.cpu += degraded.account.cpu;
  plan.account.transfer += degraded.account.transfer;
}

}  // namespace lips::pipeline
