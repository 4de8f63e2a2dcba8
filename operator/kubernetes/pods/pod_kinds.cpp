#include "kubernetes/pods/pod_kinds.h"

#include <algorithm>

namespace lips::kubernetes {

std::optional<KindId> PodKinds::intern(const PodNeeds& needs) {
  const auto known = known_.find(needs);
  if (known != known_.end()) return known->second;
  if (!note_extended(needs.requests)) return std::nullopt;
  note_labels(needs.constraint);
  const auto added = known_.emplace(needs, KindId(static_cast<std::uint32_t>(kinds_.size()))).first;
  return kinds_.push_back(&added->first);
}

bool PodKinds::note_extended(const ResourceAmounts& requests) {
  std::vector<std::string> names = extended_;
  for (const auto& [resource, amount] : requests)
    if (resource != "cpu" && resource != "memory" && std::find(names.begin(), names.end(), resource) == names.end())
      names.push_back(resource);
  if (names.size() > most_extended) return false;
  extended_ = std::move(names);
  return true;
}

void PodKinds::note_labels(const PlacementConstraint& constraint) {
  const auto note = [&](const std::vector<LabelRequirement>& requirements) {
    for (const LabelRequirement& requirement : requirements) label_keys_.insert(requirement.key);
  };
  note(constraint.required);
  for (const auto& term : constraint.any_of) note(term);
  for (const auto& volume : constraint.volumes)
    for (const auto& term : volume) note(term);
}

}  // namespace lips::kubernetes
