#include "kubernetes/pods/service_counts.h"

#include <algorithm>

#include "kubernetes/pods/amounts.h"

namespace lips::kubernetes {

namespace {

std::string workload_of(const Pod& pod) {
  if (!pod.owner) return pod.meta.name_space + "/Pod/" + pod.meta.name;
  return pod.meta.name_space + "/" + pod.owner->kind + "/" + pod.owner->name;
}

// Each record has all constraints, and whoever may create pods writes them: a longer one counts as none.
constexpr std::size_t most_values = 64;

std::size_t values_of(const std::vector<LabelRequirement>& requirements) {
  std::size_t values = 0;
  for (const LabelRequirement& requirement : requirements) values += 1 + requirement.values.size();
  return values;
}

bool is_short(const PlacementConstraint& constraint) {
  std::size_t values = values_of(constraint.required) + constraint.tolerations.size();
  for (const auto& term : constraint.any_of) values += values_of(term);
  for (const auto& volume : constraint.volumes)
    for (const auto& term : volume) values += values_of(term);
  return values <= most_values;
}

// The condition on a node's labels and taints, whatever other pods are there.
PlacementConstraint constraint_of(const Pod& pod, const ClaimLookup& claims) {
  PodNeeds needs;
  std::vector<UnschedulableCause> ignored;
  for (const Filter* filter : {&node_affinity_filter, &taint_filter, &volume_topology_filter})
    filter->collect(pod, claims, needs, ignored);
  return is_short(needs.constraint) ? needs.constraint : PlacementConstraint{};
}

}  // namespace

// One that waits at a gate is nobody's load yet, and one that leaves without a node never will be.
bool ServiceCounts::counts(const Pod& pod) {
  if (has_ended(pod.phase) || (pod.owner && pod.owner->has_one_on_each_node())) return false;
  return !pod.node.empty() || (pod.gates.empty() && !pod.deleting);
}

ServiceCounts::Key ServiceCounts::key_of(const Pod& pod, const ClaimLookup& claims) {
  ResourceNames names;
  names.add(pod.requests);
  Resources request = request_of(pod.requests, names);
  std::vector<std::pair<std::string, double>> extended;
  for (const auto& [resource, amount] : request.extended) extended.emplace_back(names.names()[resource], amount);
  std::sort(extended.begin(), extended.end());
  request.extended = {};
  return {workload_of(pod), request, std::move(extended), constraint_of(pod, claims)};
}

void ServiceCounts::update(const Pod& pod, const ClaimLookup& claims) {
  const std::string name = full_name(pod.meta);
  if (!counts(pod)) return forget(name);
  if (const auto known = entries_.find(name); known != entries_.end()) {
    const Entry& entry = known->second;
    if (entry.node == pod.node && entry.leaving == pod.deleting && entry.requests == pod.requests &&
        entry.created == pod.created)
      return;
  }
  forget(name);
  const auto group = groups_.try_emplace(key_of(pod, claims)).first;
  ++group->second.on[pod.node];
  group->second.created.insert(pod.created);
  group->second.leaving += pod.deleting;
  entries_.emplace(name, Entry{group, pod.node, pod.requests, pod.created, pod.deleting});
  if (!pod.claims.empty()) with_claims_.emplace(name, pod);
}

void ServiceCounts::forget(const std::string& full_name) {
  with_claims_.erase(full_name);
  const auto known = entries_.find(full_name);
  if (known == entries_.end()) return;
  const Entry& entry = known->second;
  Group& group = entry.group->second;
  if (const auto on = group.on.find(entry.node); --on->second == 0) group.on.erase(on);
  group.created.erase(group.created.find(entry.created));
  group.leaving -= entry.leaving;
  if (group.on.empty()) groups_.erase(entry.group);
  entries_.erase(known);
}

void ServiceCounts::review_claims(const ClaimLookup& claims) {
  std::vector<Pod> moved;
  for (const auto& [name, pod] : with_claims_)
    if (std::get<PlacementConstraint>(entries_.at(name).group->first) != constraint_of(pod, claims))
      moved.push_back(pod);
  for (const Pod& pod : moved) {
    forget(full_name(pod.meta));
    update(pod, claims);
  }
}

std::vector<ServicePods> ServiceCounts::now() const {
  std::vector<ServicePods> all;
  all.reserve(groups_.size());
  for (const auto& [key, group] : groups_) {
    const auto& [workload, request, extended, constraint] = key;
    ServicePods& pods = all.emplace_back();
    pods.workload = workload, pods.request = request, pods.extended = extended, pods.constraint = constraint;
    pods.newest = *group.created.rbegin(), pods.leaving = group.leaving;
    for (const auto& [node, count] : group.on) {
      if (node.empty())
        pods.waiting = count;
      else
        pods.on.emplace_back(node, count);
    }
  }
  return all;
}

}  // namespace lips::kubernetes
