#include "controller/checked_policy.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include "model/gangs.h"
#include "model/validate_plan.h"

namespace lips {

namespace {

using Kind = PlanFault::Kind;

constexpr double bound_tolerance = 1e-6;  // of the cost: the two sums round differently

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

tl::expected<Plan, PlanFault> fault(Kind kind, std::string why) {
  return tl::unexpected(PlanFault{kind, std::move(why)});
}

// Some policies call libraries that throw, and memory may run out in any of them.
tl::expected<Plan, PlanFault> ask(const Policy& policy, const PolicyInput& input) {
  try {
    Result<Plan> plan = policy.decide(input);
    if (!plan) return tl::unexpected(PlanFault{Kind::failed, std::move(plan.error().message), plan.error().code});
    return *std::move(plan);
  } catch (const std::exception& thrown) {
    return fault(Kind::failed, thrown.what());
  }
}

std::string sentence(const std::vector<std::string>& problems) {
  std::string why = problems.front();
  if (problems.size() > 1) why += " (and " + std::to_string(problems.size() - 1) + " more)";
  return why;
}

// A comparison with NaN is false, so each condition states what a sound plan has.
bool bound_holds(const PlanAccount& account) {
  if (!account.lower_bound || !account.objective) return true;
  const double cost = account.objective->value(), bound = account.lower_bound->value();
  return bound - cost <= bound_tolerance * std::max({std::abs(cost), std::abs(bound), 1e-9});
}

tl::expected<Plan, PlanFault> checked(const Policy& policy, const PolicyInput& input) {
  tl::expected<Plan, PlanFault> plan = ask(policy, input);
  if (!plan) return plan;
  hold_back_parts_of_gangs(input.cluster, *plan);
  if (const std::vector<std::string> problems = validate_plan(input.cluster, *plan); !problems.empty())
    return fault(Kind::invalid, sentence(problems));
  if (!bound_holds(plan->account))
    return fault(Kind::bound_above_cost, "it certifies " + number(plan->account.lower_bound->value()) +
                                             " USD as a lower bound and costs " +
                                             number(plan->account.objective->value()) + " USD");
  return plan;
}

Result<Plan> failure(const PlanFault& fault) {
  const std::string made = "the policy made a plan that ";
  switch (fault.kind) {
    case Kind::failed:
      return fail(fault.code, fault.why);
    case Kind::invalid:
      return fail(fault.code, made + "cannot be carried out: " + fault.why);
    case Kind::bound_above_cost:
      return fail(fault.code, made + "contradicts itself: " + fault.why);
  }
  return fail(fault.code, fault.why);
}

}  // namespace

std::string_view to_string(PlanFault::Kind kind) {
  switch (kind) {
    case Kind::failed:
      return "failed";
    case Kind::invalid:
      return "invalid";
    case Kind::bound_above_cost:
      return "bound-above-cost";
  }
  return "failed";
}

Result<Plan> CheckedPolicy::decide(const PolicyInput& input) const {
  tl::expected<Plan, PlanFault> plan = checked(policy_, input);
  if (plan) return *std::move(plan);
  if (!on_fault_) return failure(plan.error());
  on_fault_(plan.error());
  Plan nothing;
  nothing.rest = DeferralReason::plan_refused;
  return nothing;
}

}  // namespace lips
