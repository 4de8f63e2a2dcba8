// The phase of a data move, for the status of resources and for metrics.
#pragma once

#include <cstdint>

namespace lips {

enum class MovePhase : std::uint8_t {
  none,  // requested, not looked at yet
  pending,
  copying,
  verifying,
  committed,
  failed
};

}  // namespace lips
