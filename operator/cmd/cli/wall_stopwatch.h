// Wall time, for the figures that people read; decides nothing.
#pragma once

#include <chrono>

#include "policies/policy.h"

namespace lips {

class WallStopwatch : public Stopwatch {
 public:
  double seconds() const override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
};

}  // namespace lips
