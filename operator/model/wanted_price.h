// The price by which plans choose among nodes. Nobody pays what it is beyond a node's `cpu_price`.
#pragma once

#include "model/nodes.h"

namespace lips {

// The least that a preference is worth: it also orders nodes without a price.
inline constexpr UsdPerCpuSecond least_preference{2e-11};

inline UsdPerCpuSecond wanted_price(const Node& node) {
  return node.cpu_price * node.preference + least_preference * (node.preference - 1);
}

}  // namespace lips
