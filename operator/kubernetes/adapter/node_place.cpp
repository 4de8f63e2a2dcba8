#include "kubernetes/adapter/node_place.h"

#include <initializer_list>

#include "kubernetes/pods/amounts.h"
#include "kubernetes/pods/node_annotations.h"
#include "kubernetes/pods/node_cache.h"
#include "kubernetes/pods/node_pool.h"
#include "model/node_labels.h"

namespace lips::kubernetes {
namespace {

constexpr const char* no_zone = "no-zone";  // for nodes without the label

std::string label(const Node& node, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (const std::string* text = find_text(node.labels, key); text && !text->empty()) return *text;
  return "";
}

}  // namespace

NodePlace place_of(const Node& node) {
  NodePlace place;
  place.zone = label(node, {node_label::zone, node_label::old_zone});
  place.region = label(node, {node_label::region, node_label::old_region});
  if (place.zone.empty()) place.zone = no_zone;
  place.rack = label(node, {"lips.dev/rack", "topology.kubernetes.io/rack"});
  place.instance_type = instance_type_of(node);
  place.capacity_type = is_spot(node) ? CapacityType::spot : CapacityType::on_demand;
  return place;
}

FleetKind fleet_of(const Node& node) {
  const std::string* said = find_text(node.labels, "lips.dev/fleet");
  const bool elastic = said ? *said == "elastic" : find_text(node.labels, node_pool_label) != nullptr;
  return elastic ? FleetKind::elastic : FleetKind::fixed;
}

}  // namespace lips::kubernetes
