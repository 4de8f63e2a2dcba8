#include "telemetry/metrics/watch_meter.h"

#include <string_view>

#include "telemetry/metrics/rise.h"

namespace lips {

void WatchMeter::count(const std::vector<WatchedChange>& changes) {
  const std::lock_guard lock(mutex_);
  for (auto& [name_space, known] : namespaces_) known.sum.running = 0;
  for (const WatchedChange& change : changes) {
    const bool own_series = namespaces_.contains(change.name_space) || namespaces_.size() < most_namespaces;
    const std::string name_space = own_series ? change.name_space : others;
    const WatchedSum& more = change.more;
    namespaces_[name_space].sum += more;
    for (const WatchOutcome outcome : enumerators<WatchOutcome>)
      if (more.pods[outcome] > 0)
        registry_.add("lips_watched_pods_total", {name_space, to_string(outcome)},
                      static_cast<double>(more.pods[outcome]));
    registry_.add("lips_watched_wait_seconds_total", {name_space}, to_seconds(more.actual_wait));
    registry_.add("lips_watched_plan_wait_seconds_total", {name_space}, to_seconds(more.planned_wait));
  }
  for (auto& [name_space, known] : namespaces_) tell(name_space, known);
}

void WatchMeter::tell(const std::string& name_space, Namespace& known) {
  registry_.set("lips_watched_running_pods", {name_space}, static_cast<double>(known.sum.running));
  for (const auto& [term, dollars] : watched_terms) {
    registry_.add("lips_watched_dollars_total", {name_space, term},
                  rise(known.sum.actual.*dollars, known.told_actual.*dollars).value());
    registry_.add("lips_watched_plan_dollars_total", {name_space, term},
                  rise(known.sum.planned.*dollars, known.told_planned.*dollars).value());
  }
}

std::vector<std::pair<std::string, WatchedSum>> WatchMeter::by_namespace() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, WatchedSum>> result;
  for (const auto& [name_space, known] : namespaces_) result.emplace_back(name_space, known.sum);
  return result;
}

}  // namespace lips
