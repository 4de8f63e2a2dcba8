// The price by which plans choose among nodes. Nobody pays what it is beyond a node's `cpu_price`.
#pragma once

#include "model/nodes.h"

namespace lips {

inline UsdPerCpuSecond wanted_price(const Node& node) { return node.cpu_price * node.preference; }

}  // namespace lips
