// A timer for periodic work: when is it due again?
#pragma once

#include "base/units.h"

namespace lips::kubernetes {

class Every {
 public:
  explicit Every(Duration period) : period_(period) {}
  // True at most once in a period: do the work now.
  bool due(TimePoint now) {
    if (now < next_) return false;
    next_ = now + period_;
    return true;
  }
  TimePoint next() const { return next_; }

 private:
  Duration period_;
  TimePoint next_{};
};

}  // namespace lips::kubernetes
