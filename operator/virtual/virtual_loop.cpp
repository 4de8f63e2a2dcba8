#include "virtual/virtual_loop.h"

#include <algorithm>
#include <utility>

namespace lips::virtual_cluster {

// Whatever these tasks post is for the next run.
bool VirtualLoop::run_ready() {
  std::deque<std::function<void()>> tasks;
  tasks.swap(posted_);
  bool any = !tasks.empty();
  for (const auto& task : tasks) task();
  while (const auto task = timers_.take_due(now_)) task(), any = true;
  return any;
}

void VirtualLoop::run(Duration at_most, Duration handful) {
  const TimePoint end = now_ + at_most;
  if (posted_.empty()) now_ = std::max(now_, std::min(end, timers_.next().value_or(end)));
  if (!run_ready() || handful <= Duration(0)) return;
  now_ += handful;
  run_ready();
}

}  // namespace lips::virtual_cluster
