#include "playground/paced_loop.h"

#include <algorithm>
#include <utility>

namespace lips::playground {
namespace {

constexpr std::chrono::milliseconds nap{100};  // the longest wait within one run
// A lag above this one is given up: the pace holds from now on.
constexpr std::chrono::seconds longest_lag{1};

}  // namespace

void PacedLoop::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(task));
  }
  changed_.notify_one();
}

Pace PacedLoop::pace() const {
  const std::lock_guard lock(mutex_);
  return pace_;
}

void PacedLoop::keep(Pace pace) {
  {
    const std::lock_guard lock(mutex_);
    pace_ = pace;
    anchor();
  }
  changed_.notify_one();
}

void PacedLoop::anchor() { anchor_ = now_, anchored_ = WallClock::now(); }

PacedLoop::WallClock::time_point PacedLoop::wall_of(TimePoint time) const {
  return anchored_ + std::chrono::duration_cast<WallClock::duration>(
                         std::chrono::duration<double>(to_seconds(time - anchor_) / pace_.speed));
}

// The virtual time that the pace allows at present, at most the target.
TimePoint PacedLoop::reached(TimePoint target) const {
  if (pace_.stopped) return now_;
  if (pace_.speed <= 0) return target;
  const std::chrono::duration<double> passed = WallClock::now() - anchored_;
  return std::clamp(anchor_ + seconds(passed.count() * pace_.speed), now_.load(), std::max(target, now_.load()));
}

bool PacedLoop::run_ready() {
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(posted_);
  }
  bool any = !tasks.empty();
  for (const auto& task : tasks) task();
  while (const auto task = timers_.take_due(now_)) task(), any = true;
  return any;
}

// Waits until the pace allows the target, a task is posted or the nap is over; then it is as late as the pace allows.
void PacedLoop::pass_until(TimePoint target) {
  std::unique_lock lock(mutex_);
  const WallClock::time_point now = WallClock::now(), nap_ends = now + nap;
  const bool keeps_pace = !pace_.stopped && pace_.speed > 0;
  if (keeps_pace && now - wall_of(now_) > longest_lag) anchor();
  const WallClock::time_point due = keeps_pace ? std::min(nap_ends, wall_of(target)) : pace_.stopped ? nap_ends : now;
  changed_.wait_until(lock, due, [this] { return !posted_.empty(); });
  now_ = reached(target);
}

void PacedLoop::run(Duration at_most, Duration handful) {
  const TimePoint end = now_.load() + at_most;
  pass_until(std::min(end, timers_.next().value_or(end)));
  if (!run_ready() || handful <= Duration(0) || pace().stopped) return;
  now_ = now_.load() + handful;
  run_ready();
}

}  // namespace lips::playground
