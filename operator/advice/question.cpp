#include "advice/question.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "controller/checked_policy.h"
#include "policies/registry/registry.h"

namespace lips::advice {

namespace {

const Assignment* of(TaskId task, const std::vector<Assignment>& assignments) {
  const auto found = std::find_if(assignments.begin(), assignments.end(),
                                  [task](const Assignment& assignment) { return assignment.task == task; });
  return found == assignments.end() ? nullptr : &*found;
}

bool has_its_input(const ClusterSnapshot& cluster, const Assignment& assignment) {
  for (const StripeSource& source : assignment.sources)
    if (!cluster.blocks[source.block].on(source.store)) return false;
  return !assignment.read_from.valid() ||
         cluster.blocks[cluster.tasks[assignment.task].block].on(assignment.read_from) != nullptr;
}

}  // namespace

const Assignment* Outcome::start_of(TaskId task) const { return of(task, starting); }

const Assignment* Outcome::planned_for(TaskId task) const { return of(task, plan.assignments); }

std::vector<Assignment> first_dispatch(const ClusterSnapshot& cluster, const Plan& plan) {
  std::vector<Assignment> starting;
  IdVector<NodeId, Resources> free = cluster.free;
  IdVector<NodeId, bool> full(cluster.nodes.size(), false);
  for (const Assignment& assignment : plan.assignments) {
    const NodeId node = assignment.node;
    const Job& job = cluster.jobs[cluster.tasks[assignment.task].job];
    if (full[node] || !cluster.nodes[node].schedulable || !cluster.eligible(job.constraint, node)) continue;
    if (!has_its_input(cluster, assignment)) continue;
    if (!fits(job.request, free[node])) {
      full[node] = true;  // a task that does not fit blocks those behind it
      continue;
    }
    free[node] -= job.request;
    starting.push_back(assignment);
  }
  return starting;
}

Result<Outcome> ask(const Question& question) {
  const Result<std::unique_ptr<Policy>> policy = make_policy(question.policy, question.settings);
  if (!policy) return tl::unexpected(policy.error());
  std::vector<NodeId> reporting;
  for (const NodeId node : question.cluster.nodes.ids())
    if (question.cluster.nodes[node].schedulable) reporting.push_back(node);
  Result<Plan> plan =
      CheckedPolicy(**policy).decide({question.cluster, question.costs, question.seed, reporting, nullptr});
  if (!plan) return tl::unexpected(plan.error());
  Outcome outcome;
  outcome.starting = first_dispatch(question.cluster, *plan);
  outcome.plan = std::move(*plan);
  return outcome;
}

}  // namespace lips::advice
