// What a pool uses, as of the last plan. A plain value.
#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"

namespace lips {

struct PoolUse {
  std::string pool;
  Cores cores;
  double share = 0;  // of all schedulable cores
  UsdPerHour rate;   // of what its tasks hold
  std::uint64_t running = 0, pending = 0;
};

}  // namespace lips
