// Arithmetic on amounts of named resources, and from them to the model's resources.
#pragma once

#include <span>
#include <string>

#include "kubernetes/api/objects.h"
#include "model/nodes.h"

namespace lips::kubernetes {

// Amounts may become negative: what was taken twice is given back twice.
void add(ResourceAmounts& sum, const ResourceAmounts& more);
void subtract(ResourceAmounts& sum, const ResourceAmounts& less);

// A pod's request: one slot. `extended` names what Resources::extended holds.
Resources request_of(const ResourceAmounts& requests, std::span<const std::string> extended);
// What a node has or what pods take of it; "pods" are its slots.
Resources resources_of(const ResourceAmounts& amounts, std::span<const std::string> extended);

}  // namespace lips::kubernetes
