#include "model/eligible_profiles.h"

#include "model/eligibility.h"

namespace lips {

EligibleProfiles::EligibleProfiles(const IdVector<ProfileId, NodeProfile>& profiles) : profiles_(profiles) {
  for (const ProfileId id : profiles.ids()) {
    for (const auto& [key, value] : profiles[id].labels) {
      Label& label = by_key_.try_emplace(key, profiles.size()).first->second;
      label.has.insert(id);
      label.by_value[value].push_back(id);
    }
    if (profiles[id].taints.empty()) continue;
    by_taints_.try_emplace(profiles[id].taints, id, ProfileSet(profiles.size())).first->second.with.insert(id);
  }
}

void EligibleProfiles::add_listed(const Label& label, const LabelRequirement& requirement, ProfileSet& found) const {
  for (const std::string& value : requirement.values)
    if (const auto with = label.by_value.find(value); with != label.by_value.end())
      for (const ProfileId id : with->second) found.insert(id);
}

ProfileSet EligibleProfiles::meeting(const LabelRequirement& requirement) const {
  using Operator = LabelRequirement::Operator;
  const ProfileSet none(profiles_.size());
  const auto known = by_key_.find(requirement.key);
  const bool has_not = requirement.op == Operator::not_in || requirement.op == Operator::does_not_exist;
  if (known == by_key_.end()) return has_not ? none.complement() : none;
  const Label& label = known->second;
  ProfileSet found = none;
  switch (requirement.op) {
    case Operator::in:
      add_listed(label, requirement, found);
      return found;
    case Operator::not_in:
      add_listed(label, requirement, found);
      return found.complement();
    case Operator::exists:
      return label.has;
    case Operator::does_not_exist:
      return label.has.complement();
    case Operator::greater:
    case Operator::less:
      for (const auto& [value, with] : label.by_value)
        if (meets(requirement, profiles_[with.front()]))
          for (const ProfileId id : with) found.insert(id);
      return found;
  }
  return found;
}

ProfileSet EligibleProfiles::meeting_all(const Term& term) const {
  ProfileSet found = ProfileSet::all(profiles_.size());
  for (const LabelRequirement& requirement : term) found &= meeting(requirement);
  return found;
}

// A term without requirements is met by nothing.
ProfileSet EligibleProfiles::meeting_any(const std::vector<Term>& terms) const {
  ProfileSet found(profiles_.size());
  for (const Term& term : terms) {
    if (term.empty()) continue;
    if (term.size() > 1 || term.front().op != LabelRequirement::Operator::in)
      found |= meeting_all(term);
    else if (const auto known = by_key_.find(term.front().key); known != by_key_.end())
      add_listed(known->second, term.front(), found);
  }
  return found;
}

ProfileSet EligibleProfiles::matching_labels(const PlacementConstraint& constraint) const {
  ProfileSet found = meeting_all(constraint.required);
  if (!constraint.any_of.empty()) found &= meeting_any(constraint.any_of);
  return found;
}

ProfileSet EligibleProfiles::of(const PlacementConstraint& constraint) const {
  ProfileSet found = matching_labels(constraint);
  for (const std::vector<Term>& volume : constraint.volumes) found &= meeting_any(volume);
  for (const auto& [taints, tainted] : by_taints_)
    if (untolerated_taint(constraint, profiles_[tainted.like])) found -= tainted.with;
  return found;
}

}  // namespace lips
