#include "telemetry/metrics/twin_metrics.h"

#include <array>
#include <limits>

namespace lips {

namespace {

constexpr std::array gauges{MetricLabel{"lips_twin_dollars", "regime"}, MetricLabel{"lips_twin_saved_ratio", "regime"},
                            MetricLabel{"lips_twin_would_save_ratio", "regime"},
                            MetricLabel{"lips_twin_wait_seconds", "regime"}};

}  // namespace

TwinMetrics::TwinMetrics(MetricRegistry& registry) : registry_(registry) {
  for (const std::string_view outcome : {"made", "failed"}) registry_.add("lips_twin_comparisons_total", {outcome}, 0);
}

void TwinMetrics::set(const TwinState& state, double seconds, double now) {
  const bool made = state.missing.empty() && state.report;
  registry_.add("lips_twin_comparisons_total", {made ? "made" : "failed"});
  registry_.observe("lips_twin_comparison_seconds", {}, seconds);
  if (!made) return;
  registry_.set("lips_twin_timestamp_seconds", {}, now);
  set(*state.report);
}

// A value that this report lacks has no series: the one of an earlier report would be of other work.
void TwinMetrics::set(const TwinReport& report) {
  for (const std::string& regime : regimes_)
    for (const MetricLabel gauge : gauges) registry_.remove(gauge, regime);
  regimes_.clear();
  registry_.set("lips_twin_window_seconds", {}, to_seconds(report.span));
  registry_.set("lips_twin_unknown_seconds", {}, to_seconds(report.unknown));
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  registry_.set("lips_twin_counted_dollars", {}, report.counted ? report.counted->value() : none);
  registry_.set("lips_twin_error_ratio", {}, report.error().value_or(none));
  set(report, report.ran, "ran");
  for (const TwinRegime& other : report.others) set(report, other, other.policy);
}

void TwinMetrics::set(const TwinReport& report, const TwinRegime& regime, const std::string& name) {
  if (!regime.finished) return;
  regimes_.insert(name);
  registry_.set("lips_twin_dollars", {name}, regime.invoice.value());
  registry_.set("lips_twin_wait_seconds", {name}, to_seconds(regime.mean_wait));
  if (&regime == &report.ran) return;
  const std::optional<double> saved = report.saved(regime);
  if (saved && report.watched) registry_.set("lips_twin_would_save_ratio", {name}, *saved);
  if (saved && !report.watched) registry_.set("lips_twin_saved_ratio", {name}, *saved);
}

}  // namespace lips
