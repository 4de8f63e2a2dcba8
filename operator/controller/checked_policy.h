// The shell around a policy: passes on a plan only if it can be carried out and its certified bound is no higher than
// its own cost, and of jobs that start whole or not at all only whole starts. Decides nothing else.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "policies/policy.h"

namespace lips {

struct PlanFault {
  enum class Kind : std::uint8_t {
    failed,           // the policy gave no plan
    invalid,          // validate_plan refused it
    bound_above_cost  // it would certify that its own plan is impossible
  };
  Kind kind = Kind::failed;
  std::string why;
  ErrorCode code = ErrorCode::internal;
};
std::string_view to_string(PlanFault::Kind kind);

class CheckedPolicy : public Policy {
 public:
  using OnFault = std::function<void(const PlanFault&)>;

  // Both outlive this. With `on_fault`, for an operator that has to go on: reports a faulty decision there, and returns
  // a plan that defers every task. Without it, for a simulation that should end: decide() returns the fault as an
  // error.
  explicit CheckedPolicy(const Policy& policy, OnFault on_fault = {})
      : policy_(policy), on_fault_(std::move(on_fault)) {}

  Cadence cadence() const override { return policy_.cadence(); }
  Result<Plan> decide(const PolicyInput& input) const override;

 private:
  const Policy& policy_;
  OnFault on_fault_;
};

}  // namespace lips
