// Calendar days of the cluster's clock.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/units.h"

namespace lips {

// Since 1970-01-01.
constexpr std::int64_t day_of(TimePoint time) {
  return std::chrono::floor<std::chrono::days>(time.time_since_epoch()).count();
}

}  // namespace lips
