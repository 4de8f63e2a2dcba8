// A task that takes more than half of a node waits until one node has the room. The model counts the room of all nodes
// of a class together, so it does not know that wait: a class charges for it by the request. Elastic nodes do not,
// because others come: a task that is charged there buys a node where those of others would soon have had room.
#pragma once

#include <algorithm>

#include "policies/lips/prices/price_term.h"

namespace lips {

// The most requests of pending tasks that count, those of most work; the others wait unpriced.
inline constexpr std::size_t most_room_waits = 32;

// Sets `room_waits` of the classes and `wait_for_room` of all, as running tasks end when expected and nobody takes
// their room.
void find_room_waits(const ClusterSnapshot& cluster, NodeClasses& classes);

// In some class.
inline bool waits_for_room(const NodeClasses& classes, const Resources& request) {
  return std::find(classes.wait_for_room.begin(), classes.wait_for_room.end(), request) != classes.wait_for_room.end();
}

// USD per CPU-second of work.
inline double price_of_room_wait(const NodeClasses& classes, const NodeClass& group, const Resources& request) {
  return classes.waiting * group.room_wait(request);
}

inline constexpr PriceTerm room_wait_term{
    "room-wait", PriceKind::wait,
    [](const NodeClasses& classes, const TaskShape& tasks) { return waits_for_room(classes, tasks.request); },
    [](const NodeClasses& classes, const NodeClass& group, const Commodity& commodity) {
      return price_of_room_wait(classes, group, commodity.request);
    }};

}  // namespace lips
