#include "policies/papers/fair/priority_change.h"

#include <algorithm>

namespace lips::fair {

PriorityLevel priority_level(std::int32_t priority) {
  return static_cast<PriorityLevel>(std::clamp<std::int32_t>(priority, lowest_priority, highest_priority));
}

PriorityLevel moved_priority(PriorityLevel priority, Level before, Level now, const ModifiedFairSettings& readings) {
  int change = static_cast<int>(before) - static_cast<int>(now);
  // Printed, the row falls by one like Rack->None; the text lets a rise of two levels raise it by two.
  if (before == Level::none && now == Level::node && readings.none_to_node == NoneToNode::printed) change = -1;
  const bool at_top = priority == highest_priority, at_bottom = priority == lowest_priority;
  switch (readings.minor_adjustment) {
    case MinorAdjustment::table:
      if (at_top && change > 0) return highest_priority - 1;
      if (at_bottom && change < 0) return lowest_priority + 1;
      break;
    case MinorAdjustment::text:
      if (at_top && change == 0) return highest_priority - 1;
      if (at_bottom && change == 0) return lowest_priority + 1;
      break;
    case MinorAdjustment::off:
      break;
  }
  return priority_level(priority + change);
}

}  // namespace lips::fair
