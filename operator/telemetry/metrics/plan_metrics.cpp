#include "telemetry/metrics/plan_metrics.h"

#include <array>
#include <string_view>
#include <utility>

namespace lips {

void tell_plan(const DecidedPlan& decided, MetricRegistry& registry, OperatorFigures& figures) {
  const PlanAccount& account = decided.plan.account;
  const std::string_view form = to_string(account.form);
  registry.add("lips_epochs_total", {decided.policy, form});
  registry.observe("lips_epoch_seconds", {}, decided.seconds);
  const StageTimes& seconds = account.seconds;
  const std::array<std::pair<std::string_view, double>, 5> stages{{{"group", seconds.group},
                                                                   {"solve", seconds.solve},
                                                                   {"round", seconds.round},
                                                                   {"pack", seconds.pack},
                                                                   {"locality", seconds.locality}}};
  figures.stages.clear();
  for (const auto& [stage, span] : stages) {
    registry.observe("lips_stage_seconds", {stage}, span);
    figures.stages.emplace_back(stage, span);
  }
  registry.set("lips_solver_rows", {}, static_cast<double>(account.rows));
  registry.set("lips_solver_columns", {}, static_cast<double>(account.columns));
  registry.set("lips_plan_dollars", {}, account.objective.value_or(account.dollars()).value());
  if (account.lower_bound) registry.set("lips_plan_bound_dollars", {}, account.lower_bound->value());
  registry.set("lips_plan_gap_ratio", {}, account.gap);
  if (account.fell_back) registry.add("lips_solver_fallbacks_total", {});
  figures.policy = decided.policy, figures.form = form, figures.epoch_seconds = decided.seconds;
  figures.gap = account.gap, figures.rows = account.rows, figures.columns = account.columns;
  figures.bound_known = account.lower_bound.has_value();
}

void tell_pending(const DecidedPlan& decided, MetricRegistry& registry, OperatorFigures& figures) {
  const EnumArray<DeferralReason, std::uint64_t> waiting = count_deferred(decided.plan, decided.cluster.pending_tasks);
  figures.pending.clear();
  for (const DeferralReason reason : enumerators<DeferralReason>) {
    const std::uint64_t count = waiting[reason];
    registry.set("lips_pending_tasks", {to_string(reason)}, static_cast<double>(count));
    if (count > 0) figures.pending.emplace_back(to_string(reason), count);
  }
}

}  // namespace lips
