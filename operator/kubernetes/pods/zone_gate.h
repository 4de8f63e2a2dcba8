// The scheduling gate behind which pods of other schedulers wait for a zone, and the selector by which they get one.
// Pure.
#pragma once

#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

inline constexpr const char* zone_gate = "lips.dev/zone";

// It waits behind our gate.
bool is_gated(const Pod& pod);
// We removed the gate and gave it a zone: the same request wrote the annotation lips.dev/steered.
bool was_steered(const Pod& pod);
// As its own scheduler will see it once the gate is gone.
Pod without_gate(Pod pod);
// Its scheduler has tried, and found no node.
bool found_no_node(const Pod& pod);

// The labels of the plan's node that keep a pod in its zone and on nodes of its capacity type.
TextMap zone_selector(const Node& node);
// The zone of such a selector; "none" without one.
std::string zone_in(const TextMap& selector);

}  // namespace lips::kubernetes
