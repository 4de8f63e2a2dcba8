#include "policies/lips/lips_policy.h"

#include "policies/lips/data/new_data.h"
#include "policies/lips/program/class_form.h"
#include "policies/lips/program/zone_form.h"
#include "policies/lips/stages/stages.h"

namespace lips {

namespace {

constexpr Duration new_data_ahead = std::chrono::hours(1);  // in which readers of new data are assumed to run

double& time_of(Phase phase, StageTimes& times, double& others) {
  if (phase == Phase::program) return times.solve;
  return phase == Phase::tasks ? others : times.group;
}

}  // namespace

Result<Plan> LipsPolicy::decide(const PolicyInput& input) const {
  const bool pending = input.cluster.pending_tasks > 0;
  PlanDraft draft = make_plan_draft(input, settings_);
  if (pending) draft.plan.rest = DeferralReason::cheaper_later;
  const double started = draft.clock();
  double others = 0;  // seconds that stages count themselves, by part
  for (const Stage& stage : stages()) {
    if (!pending && stage.phase != Phase::data) continue;
    const double before = draft.clock();
    stage.run(draft);
    time_of(stage.phase, draft.plan.account.seconds, others) += draft.clock() - before;
  }
  if (!pending) {
    keep_room_for_gangs(draft);
    account_for_idle_pools(draft);
  }
  draft.plan.account.seconds.total = draft.clock() - started;
  place_new_data(input, new_data_ahead, draft.plan);
  return std::move(draft.plan);
}

solver::LinearProgram lips_program(const PolicyInput& input, const PolicySettings& settings) {
  PlanDraft draft = make_plan_draft(input, settings);
  for (const Stage& stage : stages())
    if (stage.phase == Phase::market) stage.run(draft);
  if (zone_form_holds(draft.workload)) return zone_form_program(input.cluster, draft.classes, draft.workload);
  const ClassFormSettings form;
  return class_form_program({input.cluster, input.costs, draft.classes, draft.workload, form});
}

std::unique_ptr<Policy> make_lips(const PolicySettings& settings) { return std::make_unique<LipsPolicy>(settings); }

}  // namespace lips
