// What a class charges a commodity beside the use of its nodes, its data and its time slots.
#pragma once

#include "policies/lips/prices/length_price.h"
#include "policies/lips/prices/whole_room.h"

namespace lips {

// USD per CPU-second of work.
inline double price_of_class(const NodeClasses& classes, const NodeClass& group, const Commodity& commodity) {
  double price = price_of_length(classes, group, commodity);
  if (commodity.by_room) price += price_of_room_wait(classes, group, commodity.request);
  return price;
}

}  // namespace lips
