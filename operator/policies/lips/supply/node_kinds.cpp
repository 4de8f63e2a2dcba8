#include "policies/lips/supply/node_kinds.h"

#include <set>
#include <utility>

namespace lips {

NodeKinds::NodeKinds(const ClusterSnapshot& cluster) : cluster_(cluster), of_profile_(cluster.profiles.size(), -1) {
  std::set<ConstraintId> constraints;
  std::set<Resources> requests;
  for (JobId id : cluster.pending) {
    constraints.insert(cluster.jobs[id].constraint);
    requests.insert(cluster.jobs[id].request);
  }
  constraints_.assign(constraints.begin(), constraints.end());
  requests_.assign(requests.begin(), requests.end());
}

int NodeKinds::by_profile(NodeId node) {
  int& known = of_profile_[cluster_.nodes[node].profile];
  if (known >= 0) return known;
  std::vector<bool> takes;
  for (ConstraintId constraint : constraints_) takes.push_back(cluster_.eligible(constraint, node));
  return known = profile_kinds_.try_emplace(std::move(takes), static_cast<int>(profile_kinds_.size())).first->second;
}

int NodeKinds::by_capacity(const Resources& capacity) {
  if (last_ != of_capacity_.end() && last_->first == capacity) return last_->second;
  const auto [known, added] = of_capacity_.try_emplace(capacity, 0);
  last_ = known;
  if (!added) return known->second;
  std::vector<bool> takes;
  for (const Resources& request : requests_) takes.push_back(fits(request, capacity));
  const int next = static_cast<int>(capacity_kinds_.size());
  return known->second = capacity_kinds_.try_emplace(std::move(takes), next).first->second;
}

}  // namespace lips
