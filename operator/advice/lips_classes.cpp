#include "advice/lips_classes.h"

#include "policies/lips/stages/stages.h"

namespace lips::advice {

LipsClasses lips_classes(const Question& question) {
  const PolicyInput input{question.cluster, question.costs, question.seed, {}, nullptr};
  PlanDraft draft = draft_with_supply(input, question.settings);
  const UsdPerCpuSecond wait = draft.classes.mean_price * (draft.waiting_price * draft.classes.queue_charge);
  const bool small_first = places_small_jobs(draft);
  return {std::move(draft.classes), std::move(draft.weights), wait, small_first};
}

}  // namespace lips::advice
