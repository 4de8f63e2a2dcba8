#include "kubernetes/pods/pod_classes.h"

namespace lips::kubernetes {

PodClassId PodClasses::intern(const PodNeeds& needs) {
  const auto known = known_.find(needs);
  if (known != known_.end()) return known->second;
  const std::size_t before = extended_.names().size() + label_keys_.size();
  extended_.add(needs.requests);
  note_labels(needs.placement());
  version_ += extended_.names().size() + label_keys_.size() - before;
  const auto added = known_.emplace(needs, PodClassId(static_cast<std::uint32_t>(classes_.size()))).first;
  return classes_.push_back(&added->first);
}

PodClasses PodClasses::successor() const {
  PodClasses next;
  next.version_ = version_ + 1;
  return next;
}

void PodClasses::note_labels(const PlacementConstraint& constraint) {
  const auto note = [&](const std::vector<LabelRequirement>& requirements) {
    for (const LabelRequirement& requirement : requirements) label_keys_.insert(requirement.key);
  };
  note(constraint.required);
  for (const auto& term : constraint.any_of) note(term);
  for (const auto& volume : constraint.volumes)
    for (const auto& term : volume) note(term);
}

}  // namespace lips::kubernetes
