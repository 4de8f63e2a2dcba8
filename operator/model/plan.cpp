#include "model/plan.h"

namespace lips {

std::string_view to_string(ModelForm form) {
  switch (form) {
    case ModelForm::none:
      return "none";
    case ModelForm::greedy:
      return "greedy";
    case ModelForm::zone:
      return "zone";
    case ModelForm::zone_with_copies:
      return "zone-with-copies";
    case ModelForm::mixed:
      return "mixed";
    case ModelForm::classes:
      return "class";
    case ModelForm::nodes:
      return "node";
  }
  return "none";
}

std::string_view to_string(DeferralReason reason) {
  switch (reason) {
    case DeferralReason::no_capacity:
      return "no-capacity";
    case DeferralReason::waits_for_node:
      return "waits-for-node";
    case DeferralReason::cheaper_later:
      return "cheaper-later";
    case DeferralReason::waits_for_data:
      return "waits-for-data";
    case DeferralReason::waits_for_locality:
      return "waits-for-locality";
    case DeferralReason::pool_maximum:
      return "pool-maximum";
    case DeferralReason::not_eligible:
      return "not-eligible";
    case DeferralReason::not_considered:
      return "not-considered";
    case DeferralReason::plan_refused:
      return "plan-refused";
    case DeferralReason::waits_for_peers:
      return "waits-for-peers";
  }
  return "not-considered";
}

EnumArray<DeferralReason, std::uint64_t> count_deferred(const Plan& plan, std::uint64_t pending) {
  EnumArray<DeferralReason, std::uint64_t> counts;
  for (const Deferral& deferral : plan.deferrals) ++counts[deferral.reason];
  const std::uint64_t named = plan.assignments.size() + plan.deferrals.size();
  if (pending > named) counts[plan.rest] += pending - named;
  return counts;
}

}  // namespace lips
