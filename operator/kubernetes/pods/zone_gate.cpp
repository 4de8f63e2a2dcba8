#include "kubernetes/pods/zone_gate.h"

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

TextMap zone_selector(const Node& node) {
  TextMap selector;
  for (const char* label : {capacity_type_label, zone_label})  // sorted
    if (const std::string* value = find_text(node.labels, label)) selector.emplace_back(label, *value);
  return selector;
}

std::string zone_in(const TextMap& selector) {
  const std::string* zone = find_text(selector, zone_label);
  return zone ? *zone : "none";
}

}  // namespace lips::kubernetes
