#include "policies/papers/degraded/degraded_tail.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/gangs.h"
#include "policies/drafting/draft.h"

namespace lips {

namespace {

bool some_degraded(const ClusterSnapshot& cluster) {
  return std::any_of(cluster.pending.begin(), cluster.pending.end(), [&](JobId job) {
    return std::any_of(cluster.groups[job].begin(), cluster.groups[job].end(),
                       [](const TaskGroup& group) { return group.degraded && group.count > 0; });
  });
}

// Room under each pool's maximum, beside running and planned tasks.
class PoolRoom {
 public:
  PoolRoom(const ClusterSnapshot& cluster, const Plan& plan) : cluster_(cluster), cores_(cluster.pool_cores) {
    for (const Assignment& assignment : plan.assignments) take(cluster.jobs[cluster.tasks[assignment.task].job]);
  }
  bool holds(const Job& job) const {
    const double most = cluster_.pools[job.pool].maximum.value();
    return most <= 0 || (cores_[job.pool] + job.request.cpu).value() <= most + 1e-7;
  }
  void take(const Job& job) { cores_[job.pool] += job.request.cpu; }

 private:
  const ClusterSnapshot& cluster_;
  IdVector<PoolId, Cores> cores_;
};

// Gangs of which too few would start even with all of their degraded tasks: these get no room.
std::map<WholeJobId, std::uint32_t> gangs_without_enough(const ClusterSnapshot& cluster, const Plan& plan) {
  std::map<WholeJobId, std::uint32_t> missing = short_gangs(cluster);
  if (missing.empty()) return missing;
  const auto starts = [&](JobId job, std::uint32_t tasks) {
    const auto gang = missing.find(cluster.jobs[job].whole.id);
    if (gang == missing.end()) return;
    gang->second -= std::min(gang->second, tasks);
    if (gang->second == 0) missing.erase(gang);
  };
  for (const Assignment& assignment : plan.assignments) starts(cluster.tasks[assignment.task].job, 1);
  for (const JobId job : cluster.pending)
    for (const TaskGroup& group : cluster.groups[job])
      if (group.degraded) starts(job, group.count);
  return missing;
}

class DegradedTail : public Policy {
 public:
  DegradedTail(std::unique_ptr<Policy> policy, SourceChoice sources) : policy_(std::move(policy)), sources_(sources) {}
  Cadence cadence() const override { return policy_->cadence(); }

  Result<Plan> decide(const PolicyInput& input) const override {
    Result<Plan> plan = policy_->decide(input);
    if (plan && some_degraded(input.cluster)) append(input, *plan);
    return plan;
  }

 private:
  void append(const PolicyInput& input, Plan& plan) const {
    Draft draft(input);
    draft.source_rule.choice = sources_;
    for (const Assignment& assignment : plan.assignments)
      draft.free.take(draft.free.kind_of(input.cluster.jobs[input.cluster.tasks[assignment.task].job]),
                      assignment.node);
    PoolRoom pools(input.cluster, plan);
    std::vector<NodeId> nodes = draft.free.open();
    if (cadence().trigger == Cadence::Trigger::heartbeats) nodes.assign(input.reporting.begin(), input.reporting.end());
    std::stable_sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) {
      return input.cluster.nodes[a].cpu_price < input.cluster.nodes[b].cpu_price;
    });
    const std::map<WholeJobId, std::uint32_t> too_few = gangs_without_enough(input.cluster, plan);
    for (JobId id : jobs_by_priority(input.cluster)) {
      const Job& job = input.cluster.jobs[id];
      if (too_few.contains(job.whole.id)) continue;
      const FreeCapacity::Kind kind = draft.free.kind_of(job);
      for (auto node = nodes.begin(); node != nodes.end() && pools.holds(job);) {
        const TaskId task = draft.tasks.degraded(id);
        if (!task.valid()) break;
        if (draft.free.can_take(kind, *node)) {
          draft.assign(task, *node);
          pools.take(job);
        } else {
          ++node;
        }
      }
    }
    merge(draft.finish(plan.rest), plan);
    hold_back_parts_of_gangs(input.cluster, plan);  // some found no room
  }

  static void merge(Plan added, Plan& plan) {
    std::unordered_set<TaskId> now;  // looked up only
    for (const Assignment& assignment : added.assignments) now.insert(assignment.task);
    std::erase_if(plan.deferrals, [&](const Deferral& deferral) { return now.contains(deferral.task); });
    plan.assignments.insert(plan.assignments.end(), std::make_move_iterator(added.assignments.begin()),
                            std::make_move_iterator(added.assignments.end()));
    plan.account.cpu += added.account.cpu;
    plan.account.transfer += added.account.transfer;
  }

  std::unique_ptr<Policy> policy_;
  SourceChoice sources_;
};

}  // namespace

std::unique_ptr<Policy> with_degraded_tail(std::unique_ptr<Policy> policy, const PolicySettings& settings) {
  return std::make_unique<DegradedTail>(std::move(policy), settings.degraded.sources);
}

}  // namespace lips
