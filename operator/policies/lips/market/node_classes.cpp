#include "policies/lips/market/node_classes.h"

#include <algorithm>

namespace lips {

void NodeClasses::take_now(ClassId c, const Resources& request, double tasks) {
  CapacityStep& now = steps[c].front();
  const double window = tasks * now_window[c];
  now.work = std::max(0.0, now.work - request.cpu.value() * window * classes[c].speed);
  now.memory = std::max(0.0, now.memory - request.memory.value() * window);
  now.slots = std::max(0.0, now.slots - request.slots * window);
}

}  // namespace lips
