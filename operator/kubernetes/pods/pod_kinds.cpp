#include "kubernetes/pods/pod_kinds.h"

namespace lips::kubernetes {

KindId PodKinds::intern(const PodNeeds& needs) {
  const auto known = known_.find(needs);
  if (known != known_.end()) return known->second;
  const std::size_t before = extended_.names().size() + label_keys_.size();
  extended_.add(needs.requests);
  note_labels(needs.placement());
  version_ += extended_.names().size() + label_keys_.size() - before;
  const auto added = known_.emplace(needs, KindId(static_cast<std::uint32_t>(kinds_.size()))).first;
  return kinds_.push_back(&added->first);
}

PodKinds PodKinds::successor() const {
  PodKinds next;
  next.version_ = version_ + 1;
  return next;
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
