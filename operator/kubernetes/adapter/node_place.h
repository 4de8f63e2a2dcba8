// The place of a node and the fleet that it is of, as its labels say.
#pragma once

#include <string>

#include "kubernetes/api/objects.h"
#include "model/nodes.h"

namespace lips::kubernetes {

// A node's place and kind by its well-known labels.
struct NodePlace {
  std::string zone, region, rack, instance_type;
  CapacityType capacity_type = CapacityType::on_demand;
};
NodePlace place_of(const Node& node);

// Nodes that Karpenter bought are elastic, and others that their label declares so.
FleetKind fleet_of(const Node& node);

}  // namespace lips::kubernetes
