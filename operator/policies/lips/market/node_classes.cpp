#include "policies/lips/market/node_classes.h"

#include <algorithm>
#include <cmath>

namespace lips {

UsdPerCpuSecond NodeClass::price_of_use(const Resources& request) const {
  if (!whole || request.extended.empty()) return price_of_use();
  const double of_cores = cores_of(request) / shape.cpu.value();
  const double counted = std::max({of_cores, ratio(request.memory.value(), shape.memory.value()),
                                   ratio(request.slots, static_cast<double>(shape.slots))});
  double share = 0;  // of the node: two of three GPUs are all of them
  for (const auto& [resource, amount] : request.extended)
    if (const double most = std::floor(ratio(shape.extended[resource], amount) + 1e-9); most > 0)
      share = std::max(share, 1 / most);
  return price * (std::max(0.0, share - counted) / of_cores);
}

void NodeClasses::take_now(ClassId c, const Resources& request, double tasks) {
  CapacityStep& now = steps[c].front();
  const double window = tasks * now_window[c];
  now.work = std::max(0.0, now.work - request.cpu.value() * window * classes[c].speed);
  now.memory = std::max(0.0, now.memory - request.memory.value() * window);
  now.slots = std::max(0.0, now.slots - request.slots * window);
}

}  // namespace lips
