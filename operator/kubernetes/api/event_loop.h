// The adapter's one thread and its one source of time: runs what was posted, and what has become due, in order. A real
// cluster has RealLoop; a virtual cluster has a loop of virtual time.
#pragma once

#include <cstdint>
#include <functional>

#include "base/units.h"

namespace lips::kubernetes {

class EventLoop {
 public:
  using TimerId = std::uint64_t;

  virtual ~EventLoop() = default;

  virtual TimePoint now() const = 0;                  // from any thread
  virtual void post(std::function<void()> task) = 0;  // from any thread
  // Puts now() right, which is behind the API server's clock by that. Call it while nothing waits for a time. A loop
  // whose clock is the server's has nothing to put right.
  virtual void put_forward(Duration /*behind*/) {}
  // The time by which now() is ahead of the machine's own clock, from which it was put right; from any thread.
  virtual Duration ahead_of_machine() const { return {}; }
  // These three on the thread that runs the loop.
  virtual TimerId at(TimePoint when, std::function<void()> task) = 0;
  virtual void cancel(TimerId timer) = 0;
  // Waits for the first task, at most that long, and then `handful` for more; then runs those that are there.
  virtual void run(Duration at_most, Duration handful = {}) = 0;
};

}  // namespace lips::kubernetes
