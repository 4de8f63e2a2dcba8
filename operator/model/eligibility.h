// The parts of eligible(), for callers that report which one fails, and Kubernetes' names of operators.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/enum_array.h"
#include "model/nodes.h"

namespace lips {

inline constexpr EnumArray<LabelRequirement::Operator, std::string_view> label_operator_names{
    "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
constexpr std::string_view to_string(LabelRequirement::Operator op) { return label_operator_names[op]; }
std::optional<LabelRequirement::Operator> parse_label_operator(std::string_view name);

bool meets(const LabelRequirement& requirement, const NodeProfile& profile);
bool meets_all(const std::vector<LabelRequirement>& requirements, const NodeProfile& profile);
// Node selector and required affinity.
bool matches_labels(const PlacementConstraint& constraint, const NodeProfile& profile);
bool reaches_volumes(const PlacementConstraint& constraint, const NodeProfile& profile);
// `terms`: alternatives, one of which the node has to meet; none: every node reaches it.
bool reaches_volume(const std::vector<std::vector<LabelRequirement>>& terms, const NodeProfile& profile);
// The first taint that keeps the task away; nullptr: none does. One by which the node leaves keeps every task away.
const Taint* untolerated_taint(const PlacementConstraint& constraint, const NodeProfile& profile);

}  // namespace lips
