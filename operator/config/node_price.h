// What a node costs and how fast it is, as a price sheet says. A value.
#pragma once

#include "base/units.h"

namespace lips {

struct NodePrice {
  UsdPerHour price;
  double speed = 1;   // CPU-seconds of work a core does in a second
  bool known = true;  // false: the stated default for its cores
};

}  // namespace lips
