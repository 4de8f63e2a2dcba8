#include <array>

#include "kubernetes/pods/filters/filter.h"

namespace lips::kubernetes {

std::span<const Filter> filters() {
  // A new filter is one file and one line. not_honoured_filter rejects pods with requirements that no filter honours.
  static const std::array table{node_state_filter,      node_affinity_filter, taint_filter,
                                volume_topology_filter, anti_affinity_filter, resource_filter,
                                scheduling_gate_filter, not_honoured_filter};
  return table;
}

PlacementConstraint PodNeeds::placement() const {
  PlacementConstraint result = constraint;
  result.required.insert(result.required.end(), excluded.begin(), excluded.end());
  return result;
}

std::string why_rejected(const PodNeeds& needs, const Node& node, const ResourceAmounts& taken) {
  const NodeProfile profile = profile_of(node);
  for (const Filter& filter : filters())
    if (std::string why = filter.rejects(needs, {node, profile, taken}); !why.empty()) return why;
  return {};
}

}  // namespace lips::kubernetes
