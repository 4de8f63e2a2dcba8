// The event loop of a virtual cluster: time passes only when nothing is left to do, and then at once.
#pragma once

#include <deque>

#include "kubernetes/api/event_loop.h"
#include "kubernetes/api/timers.h"

namespace lips::virtual_cluster {

class VirtualLoop final : public kubernetes::EventLoop {
 public:
  explicit VirtualLoop(TimePoint start) : now_(start) {}

  TimePoint now() const override { return now_; }
  void post(std::function<void()> task) override { posted_.push_back(std::move(task)); }
  TimerId at(TimePoint when, std::function<void()> task) override { return timers_.add(when, std::move(task)); }
  void cancel(TimerId timer) override { timers_.cancel(timer); }
  void run(Duration at_most, Duration handful = {}) override;

 private:
  bool run_ready();

  TimePoint now_;
  std::deque<std::function<void()>> posted_;
  kubernetes::Timers timers_;
};

}  // namespace lips::virtual_cluster
