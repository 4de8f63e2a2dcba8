// The event loop of a virtual cluster that people look at: virtual time keeps a pace of the wall clock, and can be
// stopped. When the work takes longer than the pace allows, time runs slower; nothing is left out.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "kubernetes/api/event_loop.h"
#include "kubernetes/api/timers.h"

namespace lips::playground {

struct Pace {
  double speed = 1;  // virtual seconds in a second; 0: as fast as it goes
  bool stopped = false;
};

class PacedLoop final : public kubernetes::EventLoop {
 public:
  PacedLoop(TimePoint start, Pace pace) : now_(start), pace_(pace), anchor_(start), anchored_(WallClock::now()) {}

  TimePoint now() const override { return now_; }
  void post(std::function<void()> task) override;
  TimerId at(TimePoint when, std::function<void()> task) override { return timers_.add(when, std::move(task)); }
  void cancel(TimerId timer) override { timers_.cancel(timer); }
  // Returns early now and then, so that the caller can look whether to end.
  void run(Duration at_most, Duration handful = {}) override;

  // From any thread.
  Pace pace() const;
  void keep(Pace pace);

 private:
  using WallClock = std::chrono::steady_clock;
  WallClock::time_point wall_of(TimePoint time) const;
  TimePoint reached(TimePoint target) const;
  void anchor();
  void pass_until(TimePoint target);
  bool run_ready();

  std::atomic<TimePoint> now_;  // written on the loop's thread
  kubernetes::Timers timers_;
  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::vector<std::function<void()>> posted_;
  Pace pace_;
  TimePoint anchor_;                // the virtual time
  WallClock::time_point anchored_;  // that belongs to this time
};

}  // namespace lips::playground
