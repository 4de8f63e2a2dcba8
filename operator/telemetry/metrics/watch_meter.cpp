#include "telemetry/metrics/watch_meter.h"

#include <array>
#include <string_view>

namespace lips {

namespace {

constexpr std::array<std::pair<std::string_view, Usd WatchedDollars::*>, 3> watched_terms{
    {{"elastic", &WatchedDollars::elastic},
     {"fixed", &WatchedDollars::fixed},
     {"transfer", &WatchedDollars::transfer}}};

}  // namespace

void WatchMeter::count(const WatchedEnd& end) {
  const std::lock_guard lock(mutex_);
  const bool own_series = sums_.contains(end.name_space) || sums_.size() < most_namespaces;
  const std::string name_space = own_series ? end.name_space : others;
  sums_[name_space].add(end);
  registry_.add("lips_watched_pods_total", {name_space, to_string(end.outcome)});
  for (const auto& [term, dollars] : watched_terms) {
    registry_.add("lips_watched_dollars_total", {name_space, term}, (end.actual.*dollars).value());
    registry_.add("lips_watched_plan_dollars_total", {name_space, term}, (end.planned.*dollars).value());
  }
  registry_.add("lips_watched_wait_seconds_total", {name_space}, to_seconds(end.actual_wait));
  registry_.add("lips_watched_plan_wait_seconds_total", {name_space}, to_seconds(end.planned_wait));
}

std::vector<std::pair<std::string, WatchedSum>> WatchMeter::by_namespace() const {
  const std::lock_guard lock(mutex_);
  return {sums_.begin(), sums_.end()};
}

}  // namespace lips
