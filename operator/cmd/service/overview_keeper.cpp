#include "cmd/service/overview_keeper.h"

#include <chrono>
#include <utility>

#include "cmd/ask/source.h"
#include "cmd/cli/wall_stopwatch.h"
#include "cmd/service/overview_of.h"

namespace lips::cmd {

namespace {

constexpr std::chrono::milliseconds patience{700};  // of a reader who finds nothing, or something old
constexpr double fresh = 4, old = 15;  // seconds: younger ones are not made anew, older ones not shown at once
constexpr double rest = 3;             // times as long as it took, so that planning keeps its cores

}  // namespace

OverviewKeeper::OverviewKeeper(Ask ask) : ask_(std::move(ask)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

std::optional<Overview> OverviewKeeper::latest() {
  std::unique_lock lock(mutex_);
  if (is_older_than(fresh)) {
    wanted_ = true;
    changed_.notify_all();
  }
  changed_.wait_for(lock, patience, [this] { return !is_older_than(old); });
  if (!latest_) return std::nullopt;
  Overview overview = *latest_;
  overview.age = seconds(WallStopwatch().seconds() - seen_at_);
  return overview;
}

void OverviewKeeper::work(const std::stop_token& stop) {
  for (;;) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return wanted_; })) return;
    wanted_ = false;
    lock.unlock();
    const double began = WallStopwatch().seconds();
    make(stop);
    lock.lock();
    const double pause = rest * (WallStopwatch().seconds() - began);
    changed_.wait_for(lock, stop, std::chrono::duration<double>(pause), [] { return false; });
  }
}

void OverviewKeeper::make(const std::stop_token& stop) {
  const std::shared_ptr<const EpochRecord> record = ask_();
  if (!record) return;
  const double seen_at = WallStopwatch().seconds();
  const Result<advice::Question> question = question_of(*record, {});
  if (!question) return;
  Result<Overview> overview = overview_of(*record, *question);
  if (!overview) return;
  if (is_nothing_to_show()) publish(*overview, seen_at);
  const auto goes_on = [&stop] { return !stop.stop_requested(); };
  if (!add_forecast(*question, *overview, goes_on) || stop.stop_requested()) return;
  publish(*std::move(overview), seen_at);
}

bool OverviewKeeper::is_nothing_to_show() {
  const std::lock_guard lock(mutex_);
  return is_older_than(old);
}

bool OverviewKeeper::is_older_than(double seconds) const {
  return !latest_ || WallStopwatch().seconds() - seen_at_ > seconds;
}

void OverviewKeeper::publish(Overview overview, double seen_at) {
  const std::lock_guard lock(mutex_);
  latest_ = std::move(overview), seen_at_ = seen_at;
  changed_.notify_all();
}

}  // namespace lips::cmd
