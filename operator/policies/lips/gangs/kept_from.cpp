#include "policies/lips/gangs/kept_from.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_set>
#include <utility>

namespace lips {

namespace {

constexpr std::int64_t most_looks_for_room = 1'000'000;  // at nodes

}  // namespace

void defer_who_is_kept_out(const ClusterSnapshot& cluster, const IdVector<NodeId, Resources>& free,
                           const std::vector<KeptSpot>& kept, Plan& plan) {
  std::map<NodeId, Resources> with_kept;
  for (const KeptSpot& spot : kept)
    if (spot.tasks > 0)
      with_kept.try_emplace(spot.node, free[spot.node]).first->second +=
          spot.request * static_cast<std::int32_t>(spot.tasks);
  if (with_kept.empty()) return;
  std::unordered_set<TaskId> named;
  for (const Assignment& assignment : plan.assignments) named.insert(assignment.task);
  for (const Deferral& deferral : plan.deferrals) named.insert(deferral.task);
  std::int64_t looks = most_looks_for_room;
  std::map<std::pair<ConstraintId, Resources>, bool> known;
  for (const JobId id : cluster.pending) {
    const Job& job = cluster.jobs[id];
    const auto [entry, added] = known.try_emplace({job.constraint, job.request}, false);
    if (added && looks > 0) {
      const auto fits_on = [&](NodeId node, const Resources& room) {
        --looks;
        return cluster.nodes[node].schedulable && fits(job.request, room) && cluster.eligible(job.constraint, node);
      };
      bool beside = false, without = false;
      for (const auto& [node, room] : with_kept) without = without || fits_on(node, room);
      for (const NodeId node : cluster.nodes.ids()) beside = beside || (without && fits_on(node, free[node]));
      entry->second = without && !beside;
    }
    if (!entry->second) continue;
    for (const TaskGroup& group : cluster.groups[id])
      if (group.count > 0)
        for (const TaskId task : cluster.tasks_of(group))
          if (!named.contains(task)) plan.deferrals.push_back({task, DeferralReason::no_capacity});
  }
}

}  // namespace lips
