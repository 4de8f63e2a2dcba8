// How long tasks will likely wait on these nodes if they start in the order in which they come, each as a whole: what a
// price of waiting reaches, and not the least that any plan does (least_wait.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "base/units.h"
#include "targets/least_wait.h"

namespace lips {

class FirstComeQueue {
 public:
  // Task-seconds that these tasks wait.
  double arrive(TimePoint now, const LeastWait::Nodes& nodes, std::uint32_t tasks, CpuSeconds each, Cores request);

 private:
  std::map<std::int64_t, double> busy_;  // cores by the second in which they are free again
};

// The same on the nodes of today, and on so many times as many.
class LikelyWaits {
 public:
  LeastWaits::Sums arrive(TimePoint now, const LeastWait::Nodes& nodes, std::uint32_t tasks, CpuSeconds each,
                          Cores request);

 private:
  std::array<FirstComeQueue, LeastWaits::times.size()> on_;
};

}  // namespace lips
