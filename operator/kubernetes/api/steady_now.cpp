#include "kubernetes/api/steady_now.h"

#include <time.h>

#include <atomic>
#include <chrono>

#include "base/check.h"

namespace lips::kubernetes {

// std::chrono::steady_clock is CLOCK_MONOTONIC, which stands still while a virtual machine is suspended.
Duration since_boot() {
  timespec time{};
  LIPS_CHECK(clock_gettime(CLOCK_BOOTTIME, &time) == 0, "Linux has had this clock since 2.6.39");
  return std::chrono::seconds(time.tv_sec) +
         std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(time.tv_nsec));
}

TimePoint machine_now() {
  return TimePoint(std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

namespace {

std::atomic<Duration::rep>& time_at_boot() {
  static std::atomic<Duration::rep> anchor{(machine_now().time_since_epoch() - since_boot()).count()};
  return anchor;
}

}  // namespace

TimePoint steady_now() { return TimePoint(Duration(time_at_boot()) + since_boot()); }

void put_steady_now_forward(Duration by) { time_at_boot() += by.count(); }

}  // namespace lips::kubernetes
