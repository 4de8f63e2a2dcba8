#include <algorithm>
#include <array>

#include "kubernetes/pods/filters/filter.h"

namespace lips::kubernetes {
namespace {

const char* effect_name(TaintEffect effect) {
  switch (effect) {
    case TaintEffect::no_schedule:
      return "NoSchedule";
    case TaintEffect::prefer_no_schedule:
      return "PreferNoSchedule";
    case TaintEffect::no_execute:
      return "NoExecute";
  }
  return "";
}

}  // namespace

std::span<const Filter> filters() {
  // A new filter is one file and one line. What is to come: host ports, pod affinity and anti-affinity, spread, volumes
  // that are bound on first use; not_honoured_filter keeps pods that ask for these from being placed.
  static const std::array table{node_state_filter, node_affinity_filter,   taint_filter,       volume_topology_filter,
                                resource_filter,   scheduling_gate_filter, not_honoured_filter};
  return table;
}

NodeProfile profile_of(const Node& node) {
  NodeProfile profile;
  profile.labels = node.labels;
  profile.labels.emplace_back(node_name_key, node.meta.name);
  std::sort(profile.labels.begin(), profile.labels.end());
  for (const Taint& taint : node.taints) profile.taints.push_back({taint.key, taint.value, effect_name(taint.effect)});
  std::sort(profile.taints.begin(), profile.taints.end());
  return profile;
}

LabelRequirement in_model(const Requirement& requirement) {
  using To = LabelRequirement::Operator;
  static constexpr std::array meaning{To::in, To::not_in, To::exists, To::does_not_exist, To::greater, To::less};
  return {requirement.key, meaning[static_cast<std::size_t>(requirement.compare)], requirement.values};
}

}  // namespace lips::kubernetes
