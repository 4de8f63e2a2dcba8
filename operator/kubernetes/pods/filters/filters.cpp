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

}  // namespace lips::kubernetes
