#include "advice/standing.h"

#include <algorithm>

#include "advice/place.h"
#include "model/eligibility.h"
#include "model/launch_room.h"
#include "model/offered_nodes.h"

namespace lips::advice {

std::optional<Standing> standing_unless_pending(const ClusterSnapshot& cluster, TaskId task) {
  switch (cluster.tasks[task].state) {
    case TaskState::finished:
      return Standing::ended;
    case TaskState::bound:
    case TaskState::running:
      return Standing::runs;
    case TaskState::blocked:
      return cluster.jobs[cluster.tasks[task].job].held ? Standing::inputs_missing : Standing::maps_unfinished;
    case TaskState::pending:
      break;
  }
  return std::nullopt;
}

Standings::Standings(const ClusterSnapshot& cluster, const Outcome& outcome)
    : cluster_(cluster),
      outcome_(outcome),
      free_(cluster_.free),
      offered_(offered_only(cluster_)),
      cores_(cluster_.pool_cores),
      shares_(share_out(cluster_)) {
  for (const Assignment& assignment : outcome.starting) {
    const Job& job = cluster_.jobs[cluster_.tasks[assignment.task].job];
    free_[assignment.node] -= job.request;
    cores_[job.pool] += job.request.cpu;
    add_amounts(shares_.claims[job.pool].used, job.request, 1);
    starts_.insert(assignment.task);
  }
  for (const Assignment& assignment : outcome.plan.assignments) planned_.emplace(assignment.task, &assignment);
  for (const Deferral& deferral : outcome.plan.deferrals) deferred_.emplace(deferral.task, deferral.reason);
}

Standing Standings::of(TaskId task) const {
  const std::optional<Standing> known = standing_unless_pending(cluster_, task);
  return known ? *known : waiting(task);
}

Standing Standings::waiting(TaskId task) const {
  if (starts_.contains(task)) return Standing::starts_now;
  if (const auto planned = planned_.find(task); planned != planned_.end()) {
    const StoreId from = planned->second->read_from;
    const bool lacks_input = from.valid() && cluster_.blocks[cluster_.tasks[task].block].on(from) == nullptr;
    return lacks_input ? Standing::waits_for_data : Standing::next_on_node;
  }
  if (!room(task).any_node) return Standing::not_eligible;
  const auto deferred = deferred_.find(task);
  switch (deferred != deferred_.end() ? deferred->second : outcome_.plan.rest) {
    case DeferralReason::waits_for_node:
      return Standing::waits_for_node;
    case DeferralReason::waits_for_data:
      return Standing::waits_for_data;
    case DeferralReason::waits_for_locality:
      return Standing::waits_for_locality;
    case DeferralReason::waits_for_peers:
      return Standing::waits_for_peers;
    case DeferralReason::plan_refused:
      return Standing::plan_refused;
    case DeferralReason::pool_maximum:
      return Standing::pool_maximum;
    // The policy does not say which: the free room says it.
    case DeferralReason::no_capacity:
    case DeferralReason::cheaper_later:
    case DeferralReason::not_eligible:
    case DeferralReason::not_considered:
      break;
  }
  if (is_at_maximum(cluster_.jobs[cluster_.tasks[task].job])) return Standing::pool_maximum;
  if (room(task).after) return Standing::cheaper_later;
  if (is_at_share(cluster_.jobs[cluster_.tasks[task].job])) return Standing::pool_share;
  return room(task).before ? Standing::behind_others : Standing::no_capacity;
}

const Standings::Room& Standings::room(TaskId task) const {
  const Job& job = cluster_.jobs[cluster_.tasks[task].job];
  const auto [known, added] = rooms_.try_emplace({job.constraint, job.request});
  Room& room = known->second;
  if (!added) return room;
  for (const NodeId node : cluster_.nodes.ids()) {
    const std::optional<Mismatch> why = mismatch(job, node);
    room.any_node |= !offered_[node] && (!why || why == Mismatch::full_of_others);
  }
  for (const Offer& offer : cluster_.offers)
    room.any_node |= nodes_left(cluster_, offer) > 0 && cluster_.eligible(job.constraint, offer.like) &&
                     fits(job.request, cluster_.nodes[offer.like].capacity);
  room.after = !with_room(task, free_).empty();
  room.before = room.after || !with_room(task, cluster_.free).empty();
  return room;
}

std::vector<NodeId> Standings::with_room(TaskId task, const IdVector<NodeId, Resources>& free) const {
  std::vector<NodeId> nodes;
  const Job& job = cluster_.jobs[cluster_.tasks[task].job];
  for (const NodeId node : cluster_.nodes.ids())
    if (takes(cluster_, task, node) && fits(job.request, free[node])) nodes.push_back(node);
  return nodes;
}

EnumArray<Mismatch, std::uint32_t> Standings::mismatches(TaskId task) const {
  EnumArray<Mismatch, std::uint32_t> counts;
  const Job& job = cluster_.jobs[cluster_.tasks[task].job];
  for (const NodeId node : cluster_.nodes.ids())
    if (const auto reason = mismatch(job, node); reason && !offered_[node]) ++counts[*reason];
  return counts;
}

std::optional<Mismatch> Standings::mismatch(const Job& job, NodeId id) const {
  static const PlacementConstraint none;
  const Node& node = cluster_.nodes[id];
  const NodeProfile& profile = cluster_.profiles[node.profile];
  const PlacementConstraint& constraint = job.constraint.valid() ? cluster_.constraints[job.constraint] : none;
  if (!node.schedulable) return Mismatch::not_schedulable;
  if (!matches_labels(constraint, profile)) return Mismatch::labels;
  if (!reaches_volumes(constraint, profile)) return Mismatch::volumes;
  if (untolerated_taint(constraint, profile)) return Mismatch::taint;
  if (!fits(job.request, node.capacity)) return Mismatch::too_small;
  if (!fits(job.request, node.capacity - node.others)) return Mismatch::full_of_others;
  return std::nullopt;
}

bool Standings::is_at_maximum(const Job& job) const {
  const Cores maximum = cluster_.pools[job.pool].maximum;
  constexpr double rounding = 1e-7;
  return maximum.value() > 0 && (cores_[job.pool] + job.request.cpu).value() > maximum.value() + rounding;
}

bool Standings::is_at_share(const Job& job) const {
  const Entitlement& share = shares_.of[job.pool];
  return shares_.contended() && share.limits() &&
         tasks_until_share(share, shares_.claims[job.pool].used, job.request, shares_.capacity) < 1 - 1e-9;
}

std::string_view to_string(Standing standing) {
  constexpr EnumArray<Standing, std::string_view> names{
      "runs",           "ended",          "starts-now",         "next-on-node",    "maps-unfinished", "inputs-missing",
      "waits-for-node", "waits-for-data", "waits-for-locality", "waits-for-peers", "pool-maximum",    "pool-share",
      "not-eligible",   "cheaper-later",  "room-kept",          "behind-others",   "no-capacity",     "plan-refused"};
  return names[standing];
}

std::string_view to_string(Mismatch mismatch) {
  constexpr EnumArray<Mismatch, std::string_view> names{"not-schedulable", "labels",    "volumes",
                                                        "taint",           "too-small", "full-of-others"};
  return names[mismatch];
}

}  // namespace lips::advice
