#include "policies/lips/supply/node_kinds.h"

#include <set>
#include <utility>

namespace lips {

namespace {

// Parts the profiles of each part into those that the set contains and the others.
void split(IdVector<ProfileId, std::uint32_t>& part_of, std::uint32_t& parts, const ProfileSet& set) {
  std::vector<std::uint32_t> all(parts, 0), inside(parts, 0);
  for (const ProfileId id : part_of.ids()) {
    ++all[part_of[id]];
    inside[part_of[id]] += set.contains(id);
  }
  std::vector<std::uint32_t> moves_to(parts);
  for (std::uint32_t part = 0, old = parts; part < old; ++part)
    moves_to[part] = inside[part] > 0 && inside[part] < all[part] ? parts++ : part;
  for (const ProfileId id : part_of.ids())
    if (set.contains(id)) part_of[id] = moves_to[part_of[id]];
}

}  // namespace

NodeKinds::NodeKinds(const ClusterSnapshot& cluster, const EligibleNodes& eligible)
    : cluster_(cluster), part_of_(cluster.profiles.size(), 0) {
  std::uint32_t parts = 1;
  for (const ProfileSet& set : eligible.sets()) split(part_of_, parts, set);
  std::set<Resources> requests;
  for (JobId id : cluster.pending) requests.insert(cluster.jobs[id].request);
  requests_.assign(requests.begin(), requests.end());
}

int NodeKinds::by_profile(NodeId node) {
  const int next = static_cast<int>(kind_of_part_.size());
  return kind_of_part_.try_emplace(part_of_[cluster_.nodes[node].profile], next).first->second;
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
