// The scheduling gate behind which pods of other schedulers wait for a zone, and what is written when they get one.
// Pure.
#pragma once

#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

inline constexpr const char* zone_gate = "lips.dev/zone";

// It waits behind our gate.
bool is_gated(const Pod& pod);
// It went through it with a zone: the same request left the annotation lips.dev/steered.
bool was_steered(const Pod& pod);
// As its own scheduler will see it.
Pod without_gate(Pod pod);
// Its scheduler has looked, and found no node.
bool found_no_node(const Pod& pod);

// Of the labels of the plan's node those that keep a pod in its zone, and among nodes of its capacity type.
TextMap zone_selector(const Node& node);
// The zone of such a selector; "none" without one.
std::string zone_in(const TextMap& selector);

}  // namespace lips::kubernetes
