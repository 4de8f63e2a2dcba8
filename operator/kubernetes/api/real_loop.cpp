#include "kubernetes/api/real_loop.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "kubernetes/api/steady_now.h"

namespace lips::kubernetes {

TimePoint RealLoop::now() const { return steady_now(); }

void RealLoop::put_forward(Duration behind) { put_steady_now_forward(behind); }

Duration RealLoop::ahead_of_machine() const { return steady_now() - machine_now(); }

void RealLoop::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(task));
  }
  arrived_.notify_one();
}

void RealLoop::run(Duration at_most, Duration handful) {
  if (const auto next = timers_.next()) at_most = std::clamp(*next - now(), Duration(0), at_most);
  std::vector<std::function<void()>> tasks;
  {
    std::unique_lock lock(mutex_);
    const bool any = arrived_.wait_for(lock, at_most, [this] { return !posted_.empty(); });
    if (any && handful > Duration(0)) {
      lock.unlock();
      std::this_thread::sleep_for(handful);  // more tasks can arrive without waking anybody
      lock.lock();
    }
    tasks.swap(posted_);
  }
  for (const auto& task : tasks) task();
  for (const TimePoint began = now(); const auto task = timers_.take_due(began);) task();
}

}  // namespace lips::kubernetes
