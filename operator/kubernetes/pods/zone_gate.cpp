#include "kubernetes/pods/zone_gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubernetes/pods/pod_annotations.h"

namespace lips::kubernetes {
namespace {

constexpr const char *zone_label = "topology.kubernetes.io/zone", *capacity_type_label = "karpenter.sh/capacity-type";

}  // namespace

bool is_gated(const Pod& pod) { return std::find(pod.gates.begin(), pod.gates.end(), zone_gate) != pod.gates.end(); }

bool was_steered(const Pod& pod) { return find_text(pod.annotations, annotation::steered) && !is_gated(pod); }

Pod without_gate(Pod pod) {
  std::erase(pod.gates, zone_gate);
  return pod;
}

bool found_no_node(const Pod& pod) {
  return pod.scheduled.status == ConditionStatus::no && pod.scheduled.reason == "Unschedulable";
}

TextMap zone_selector(const TextMap& labels) {
  TextMap selector;
  for (const char* label : {capacity_type_label, zone_label})  // sorted
    if (const std::string* value = find_text(labels, label)) selector.emplace_back(label, *value);
  return selector;
}

TextMap place_selector(const std::string& zone, CapacityType capacity_type) {
  return {{capacity_type_label, std::string(to_string(capacity_type))}, {zone_label, zone}};
}

std::string place_text(const TextMap& selector) {
  std::string text;
  for (const auto& [label, value] : selector) text += fmt::format("{}{}={}", text.empty() ? "" : ", ", label, value);
  return text;
}

bool names_zone(const PlacementConstraint& placement) {
  const auto any = [](const std::vector<LabelRequirement>& term) {
    return std::any_of(term.begin(), term.end(), [](const auto& label) { return label.key == zone_label; });
  };
  const auto any_term = [&](const auto& terms) { return std::any_of(terms.begin(), terms.end(), any); };
  return any(placement.required) || any_term(placement.any_of) ||
         std::any_of(placement.volumes.begin(), placement.volumes.end(), any_term);
}

std::string zone_in(const TextMap& selector) {
  const std::string* zone = find_text(selector, zone_label);
  return zone ? *zone : "none";
}

}  // namespace lips::kubernetes
