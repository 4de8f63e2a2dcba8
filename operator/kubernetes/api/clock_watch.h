// Notices that the machine's clock was set: a node may boot with a wrong one, which is mended minutes later. The
// operator's own time does not jump, so it would stay wrong. Reads no clock.
#pragma once

#include <optional>

#include "base/units.h"

namespace lips::kubernetes {

class ClockWatch {
 public:
  // Both at the same moment: the time since the machine started, and the wall clock's since 1970.
  ClockWatch(Duration since_boot, Duration wall) : offset_(wall - since_boot) {}

  // True: for a minute the wall clock has differed from the one at the beginning, by always the same.
  bool was_set(Duration since_boot, Duration wall);

 private:
  struct Other {
    Duration offset{}, since{};
  };
  const Duration offset_;
  std::optional<Other> other_;
};

// Gives steady_now() the wall clock's time of now. Call it while nothing waits for a time.
void anchor_steady_now();

}  // namespace lips::kubernetes
