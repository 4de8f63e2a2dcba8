#include "telemetry/metrics/own_target_metrics.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

namespace lips {

namespace {

constexpr std::size_t most_shown = 20;

OwnTargetFigures figures_of(const std::vector<OwnTargetReport>& reports) {
  OwnTargetFigures figures;
  figures.all = reports.size();
  for (const OwnTargetReport& report : reports) {
    if (report.state == OwnTargetState::held) continue;
    ++figures.at_risk;
    if (figures.worst.size() < most_shown) figures.worst.push_back(report);
  }
  return figures;
}

}  // namespace

void OwnTargetMetrics::set(const std::vector<OwnTargetReport>& reports, OwnTargetFigures& figures) {
  std::map<std::pair<std::string_view, OwnTargetKind>, EnumArray<OwnTargetState, std::uint64_t>> jobs;
  std::set<std::pair<std::string, OwnTargetKind>> now;
  for (const OwnTargetReport& report : reports) {
    ++jobs[{report.pool, report.kind}][report.state];
    now.emplace(report.pool, report.kind);
  }
  if (now != known_)
    for (const auto& [pool, kind] : std::exchange(known_, std::move(now)))
      registry_.remove({"lips_job_targets", "pool"}, pool);
  for (const auto& [of, states] : jobs) {
    const std::string_view kind = to_string(of.second);
    for (const OwnTargetState state : enumerators<OwnTargetState>)
      registry_.set("lips_job_targets", {of.first, kind, to_string(state)}, static_cast<double>(states[state]));
    registry_.add("lips_job_targets_missed_total", {of.first, kind}, 0);  // so that a rate shows the first one
  }
  figures = figures_of(reports);
}

void OwnTargetMetrics::missed(const std::vector<MissedTarget>& missed) {
  for (const MissedTarget& each : missed)
    registry_.add("lips_job_targets_missed_total", {each.pool, to_string(each.kind)});
}

}  // namespace lips
