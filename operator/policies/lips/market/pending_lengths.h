// The sums of pending tasks' requests, by how long they take at speed 1.
#pragma once

#include <cstddef>
#include <vector>

#include "model/snapshot.h"

namespace lips {

// Lengths within a factor of 1.4 count as one.
class PendingLengths {
 public:
  PendingLengths() = default;
  explicit PendingLengths(const ClusterSnapshot& cluster);

  // The request of all tasks that take so many seconds or longer.
  const Resources& at_least(double seconds) const { return at_least_[step_of(seconds)]; }
  // Seconds from which on that is no longer enough; 1e300: it always is.
  template <class Enough>
  double first_without(const Enough& enough) const {
    for (std::size_t step = 0; step < steps; ++step)
      if (!enough(at_least_[step])) return seconds_of(step);
    return 1e300;
  }

 private:
  static constexpr std::size_t steps = 64;
  static std::size_t step_of(double seconds);
  static double seconds_of(std::size_t step);  // where it begins

  std::vector<Resources> at_least_;  // by step
};

}  // namespace lips
