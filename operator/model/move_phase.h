// How far a move of data has come; what resources say and what is counted.
#pragma once

#include <cstdint>

namespace lips {

enum class MovePhase : std::uint8_t {
  none,  // just asked for, nobody has looked at it yet
  pending,
  copying,
  verifying,
  committed,
  failed
};

}  // namespace lips
