// The event loop of a real cluster: its clock is steady_now(), and waiting takes real time.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "kubernetes/api/event_loop.h"
#include "kubernetes/api/timers.h"

namespace lips::kubernetes {

class RealLoop final : public EventLoop {
 public:
  TimePoint now() const override;
  void post(std::function<void()> task) override;
  TimerId at(TimePoint when, std::function<void()> task) override { return timers_.add(when, std::move(task)); }
  void cancel(TimerId timer) override { timers_.cancel(timer); }
  void put_forward(Duration behind) override;
  Duration ahead_of_machine() const override;
  void run(Duration at_most, Duration handful = {}) override;

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::function<void()>> posted_;  // under the mutex
  Timers timers_;
};

}  // namespace lips::kubernetes
