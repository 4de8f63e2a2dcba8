#include "telemetry/metrics/target_metrics.h"

#include <array>
#include <string_view>

namespace lips {

namespace {

constexpr std::string_view all_pools = "_all";  // name of all pools together
constexpr std::array gauges{MetricLabel{"lips_target_wanted", "pool"}, MetricLabel{"lips_target_reached", "pool"},
                            MetricLabel{"lips_target_forecast", "pool"}, MetricLabel{"lips_target_state", "pool"},
                            MetricLabel{"lips_target_waiting_factor", "pool"}};

std::string_view name_of(const TargetReport& report) { return report.pool.empty() ? all_pools : report.pool; }

}  // namespace

void TargetMetrics::set(const std::vector<TargetReport>& reports) {
  std::set<std::pair<std::string, TargetKind>> now;
  for (const TargetReport& report : reports) now.emplace(name_of(report), report.kind);
  if (const auto before = std::exchange(known_, std::move(now)); before != known_)
    for (const auto& [pool, kind] : before)
      for (const MetricLabel gauge : gauges) registry_.remove(gauge, pool);
  for (const TargetReport& report : reports) {
    const std::string_view pool = name_of(report), kind = to_string(report.kind);
    registry_.set("lips_target_wanted", {pool, kind}, report.target);
    registry_.set("lips_target_reached", {pool, kind}, report.reached);
    registry_.set("lips_target_forecast", {pool, kind}, report.forecast);
    for (const TargetState state : enumerators<TargetState>)
      registry_.set("lips_target_state", {pool, kind, to_string(state)}, report.state == state ? 1 : 0);
    registry_.set("lips_target_waiting_factor", {pool, kind}, report.factor);
  }
}

void TargetMetrics::left_alone(const std::string& pool, std::optional<LeftAlone> reason) {
  for (const LeftAlone each : enumerators<LeftAlone>)
    registry_.set("lips_pool_left_alone", {pool, to_string(each)}, reason == each ? 1 : 0);
}

}  // namespace lips
