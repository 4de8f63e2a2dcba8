#include "cmd/service/watch_planner.h"

#include <utility>

#include "cmd/cli/today.h"
#include "cmd/cli/wall_stopwatch.h"

namespace lips::cmd {

namespace {
constexpr double spent_at_start = 10;  // seconds that count as passed, so that the first pods are planned
}  // namespace

WatchPlanner::WatchPlanner(OperatorMetrics& metrics, const LiveConfig& live, const LivePolicy& policy)
    : metrics_(metrics), live_(live), policy_(policy), began_(WallStopwatch().seconds()) {
  thread_ = std::jthread([this](const std::stop_token& stop) { work_off(stop); });
}

bool WatchPlanner::is_free() const {
  const double share = live_.config()->baselines.time_share;
  const std::lock_guard lock(mutex_);
  return !busy_ && !next_ && worked_ <= (WallStopwatch().seconds() - began_ + spent_at_start) * share;
}

void WatchPlanner::take(WatchedCluster watched) {
  const std::lock_guard lock(mutex_);
  next_ = std::move(watched);
  changed_.notify_one();
}

std::vector<WatchedRow> WatchPlanner::rows() const {
  const std::lock_guard lock(mutex_);
  return report_.rows();
}

void WatchPlanner::work_off(const std::stop_token& stop) {
  for (;;) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [&] { return next_.has_value(); })) return;
    WatchedCluster watched = *std::exchange(next_, std::nullopt);
    busy_ = true;
    lock.unlock();
    plan(std::move(watched));
    lock.lock();
    busy_ = false;
  }
}

void WatchPlanner::plan(WatchedCluster watched) {
  const double began = WallStopwatch().seconds();
  const std::shared_ptr<const NamedPolicy> policy = policy_.current();
  const std::shared_ptr<const OperatorConfig> config = live_.config();
  const std::vector<WatchedChange> changes = schedule_.step(
      std::move(watched),
      {policy->name, policy->settings, config->policy.seed, static_cast<std::uint64_t>(config->baselines.most_tasks)});
  const std::string day = today();
  metrics_.watched(changes);
  const std::lock_guard lock(mutex_);
  report_.add(changes, day);
  worked_ += WallStopwatch().seconds() - began;
}

}  // namespace lips::cmd
