// Price and speed of a node, from a price sheet. A value.
#pragma once

#include "base/units.h"

namespace lips {

struct NodePrice {
  UsdPerHour price;
  double speed = 1;   // CPU-seconds of work per core and second
  bool known = true;  // false: the configured default for its cores
};

}  // namespace lips
