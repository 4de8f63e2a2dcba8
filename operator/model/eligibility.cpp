#include "model/eligibility.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "model/leaving.h"

namespace lips {
namespace {

const std::string* find_label(const NodeProfile& profile, const std::string& key) {
  const auto found = std::lower_bound(profile.labels.begin(), profile.labels.end(), key,
                                      [](const auto& label, const std::string& name) { return label.first < name; });
  return found != profile.labels.end() && found->first == key ? &found->second : nullptr;
}

bool as_integer(const std::string& text, std::int64_t& number) {
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end;
}

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (toleration.key.empty()) return toleration.exists;
  if (toleration.key != taint.key) return false;
  return toleration.exists || toleration.value == taint.value;
}

bool any_term_met(const std::vector<std::vector<LabelRequirement>>& terms, const NodeProfile& profile) {
  return std::any_of(terms.begin(), terms.end(), [&](const std::vector<LabelRequirement>& term) {
    return !term.empty() && meets_all(term, profile);
  });
}

}  // namespace

std::optional<LabelRequirement::Operator> parse_label_operator(std::string_view name) {
  for (const LabelRequirement::Operator op : enumerators<LabelRequirement::Operator>)
    if (name == to_string(op)) return op;
  return std::nullopt;
}

bool meets(const LabelRequirement& requirement, const NodeProfile& profile) {
  using Operator = LabelRequirement::Operator;
  const std::string* value = find_label(profile, requirement.key);
  const auto listed = [&] {
    return std::find(requirement.values.begin(), requirement.values.end(), *value) != requirement.values.end();
  };
  switch (requirement.op) {
    case Operator::in:
      return value && listed();
    case Operator::not_in:
      return !value || !listed();
    case Operator::exists:
      return value != nullptr;
    case Operator::does_not_exist:
      return value == nullptr;
    case Operator::greater:
    case Operator::less: {
      std::int64_t have = 0, want = 0;
      if (!value || requirement.values.size() != 1 || !as_integer(*value, have) ||
          !as_integer(requirement.values[0], want))
        return false;
      return requirement.op == Operator::greater ? have > want : have < want;
    }
  }
  return false;
}

bool meets_all(const std::vector<LabelRequirement>& requirements, const NodeProfile& profile) {
  return std::all_of(requirements.begin(), requirements.end(),
                     [&](const LabelRequirement& requirement) { return meets(requirement, profile); });
}

bool matches_labels(const PlacementConstraint& constraint, const NodeProfile& profile) {
  return meets_all(constraint.required, profile) &&
         (constraint.any_of.empty() || any_term_met(constraint.any_of, profile));
}

bool reaches_volumes(const PlacementConstraint& constraint, const NodeProfile& profile) {
  return std::all_of(constraint.volumes.begin(), constraint.volumes.end(),
                     [&](const auto& terms) { return any_term_met(terms, profile); });
}

bool reaches_volume(const std::vector<std::vector<LabelRequirement>>& terms, const NodeProfile& profile) {
  return terms.empty() || any_term_met(terms, profile);
}

const Taint* untolerated_taint(const PlacementConstraint& constraint, const NodeProfile& profile) {
  const auto repels = [&](const Taint& taint) {
    if (says_node_leaves(taint)) return true;
    return taint.effect != "PreferNoSchedule" &&
           std::none_of(constraint.tolerations.begin(), constraint.tolerations.end(),
                        [&](const Toleration& toleration) { return tolerates(toleration, taint); });
  };
  const auto found = std::find_if(profile.taints.begin(), profile.taints.end(), repels);
  return found == profile.taints.end() ? nullptr : &*found;
}

bool eligible(const PlacementConstraint& constraint, const NodeProfile& profile) {
  return matches_labels(constraint, profile) && reaches_volumes(constraint, profile) &&
         !untolerated_taint(constraint, profile);
}

}  // namespace lips
