// The rest of a node that a task keeps by its devices.
//
// The rows of the program count cores, memory and slots. A task that takes more of a node's devices than of these keeps
// others from what lies beside: whoever wants a device needs another node. So a node that is launched for it costs the
// share that its devices are, less the share that the rows count. A node that is there is paid for in any case.
#pragma once

#include <algorithm>
#include <cmath>

#include "policies/lips/prices/price_term.h"

namespace lips {

// The share of the node that its devices are: two of three GPUs are all of them.
inline double share_of_devices(const Resources& request, const Resources& shape) {
  double share = 0;
  for (const auto& [resource, amount] : request.extended)
    if (const double most = std::floor(ratio(shape.extended[resource], amount) + 1e-9); most > 0)
      share = std::max(share, 1 / most);
  return share;
}

// USD per CPU-second of work.
inline double price_of_devices(const NodeClass& group, const Resources& request) {
  if (!group.offer.valid() || request.extended.empty()) return 0;
  const Resources& shape = group.shape;
  const double of_cores = cores_of(request) / shape.cpu.value();
  const double counted = std::max({of_cores, ratio(request.memory.value(), shape.memory.value()),
                                   ratio(request.slots, static_cast<double>(shape.slots))});
  return group.price.value() * std::max(0.0, share_of_devices(request, shape) - counted) / of_cores;
}

inline constexpr PriceTerm devices_term{
    "devices", PriceKind::dollars,
    [](const NodeClasses& classes, const TaskShape& tasks) {
      return !tasks.request.extended.empty() &&
             std::any_of(classes.classes.begin(), classes.classes.end(),
                         [&](const NodeClass& group) { return price_of_devices(group, tasks.request) > 0; });
    },
    [](const NodeClasses&, const NodeClass& group, const Commodity& commodity) {
      return price_of_devices(group, commodity.request) / commodity.urgency;
    }};

}  // namespace lips
