#include "kubernetes/pods/zone_gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubernetes/pods/pod_annotations.h"
#include "model/node_labels.h"

namespace lips::kubernetes {
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
  for (const char* label : {node_label::capacity_type, node_label::zone})  // sorted
    if (const std::string* value = find_text(labels, label)) selector.emplace_back(label, *value);
  return selector;
}

TextMap steered_place(const Pod& pod) {
  TextMap place = zone_selector(pod.node_selector);
  const std::string* preferred = find_text(pod.annotations, annotation::capacity_type);
  if (preferred && !find_text(place, node_label::capacity_type))
    place.emplace(place.begin(), node_label::capacity_type, *preferred);
  return place;
}

TextMap place_selector(const std::string& zone, CapacityType capacity_type) {
  return {{node_label::capacity_type, std::string(to_string(capacity_type))}, {node_label::zone, zone}};
}

std::string place_text(const TextMap& selector) {
  std::string text;
  for (const auto& [label, value] : selector) text += fmt::format("{}{}={}", text.empty() ? "" : ", ", label, value);
  return text;
}

bool names_zone(const PlacementConstraint& placement) {
  const auto any = [](const std::vector<LabelRequirement>& term) {
    return std::any_of(term.begin(), term.end(), [](const auto& label) { return label.key == node_label::zone; });
  };
  const auto any_term = [&](const auto& terms) { return std::any_of(terms.begin(), terms.end(), any); };
  return any(placement.required) || any_term(placement.any_of) ||
         std::any_of(placement.volumes.begin(), placement.volumes.end(), any_term);
}

std::string zone_in(const TextMap& selector) {
  const std::string* zone = find_text(selector, node_label::zone);
  return zone ? *zone : "none";
}

}  // namespace lips::kubernetes
