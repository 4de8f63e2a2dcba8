// The scheduling gate behind which pods of other schedulers wait for a zone, and the selector by which they get one.
// Pure.
#pragma once

#include <string>

#include "kubernetes/api/objects.h"
#include "model/nodes.h"

namespace lips::kubernetes {

inline constexpr const char* zone_gate = "lips.dev/zone";

// Says whether the pod waits behind our gate.
bool is_gated(const Pod& pod);
// Says whether we removed the gate and gave the pod a zone: the same request wrote the annotation lips.dev/steered.
bool was_steered(const Pod& pod);
// The pod as its own scheduler will see it once the gate is gone.
Pod without_gate(Pod pod);
// Says whether its scheduler has tried and found no node.
bool found_no_node(const Pod& pod);

// The part of a node's labels, or of a pod's selector, that keep a pod in a zone and on nodes of a capacity type.
TextMap zone_selector(const TextMap& labels);
// Place of a steered pod: its zone, which its selector names, and the capacity type that it prefers.
TextMap steered_place(const Pod& pod);
// The same as zone_selector() of a node that is not there yet.
TextMap place_selector(const std::string& zone, CapacityType capacity_type);
// "key=value, key=value"
std::string place_text(const TextMap& selector);
// Says whether the pod itself says in which zone it may be: it gets no other.
bool names_zone(const PlacementConstraint& placement);
// The zone of such a selector; "none" without one.
std::string zone_in(const TextMap& selector);

}  // namespace lips::kubernetes
