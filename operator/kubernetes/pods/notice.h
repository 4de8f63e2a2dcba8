// Notice that a node is about to go, by anything but a taint (model/leaving.h knows those). docs/data-resources.md says
// who gives which.
#pragma once

#include <string>

#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

// The sign of it, in a word; empty: nothing does.
std::string notice_of(const Node& node);

}  // namespace lips::kubernetes
