// The default policy's program over one horizon, several waves of tasks deep, as the LiPS paper has epochs: for
// research and for the papers' fairness experiments. Operators use the policy `lips`, which weighs waiting in time
// slots.
#pragma once

#include <memory>

#include "policies/policy.h"
#include "policies/settings.h"
#include "solver/linear_program.h"

namespace lips {

class LipsHorizonPolicy : public Policy {
 public:
  // `settings.lips.horizon` is above 0.
  explicit LipsHorizonPolicy(const PolicySettings& settings) : settings_(settings) {}
  Cadence cadence() const override { return {Cadence::Trigger::epoch, settings_.lips.horizon, Duration(0)}; }
  Result<Plan> decide(const PolicyInput& input) const override;

 private:
  PolicySettings settings_;
};

// The policy `lips`, or this one where the settings have a horizon; and the linear program that its decision starts
// from, with every column.
std::unique_ptr<Policy> make_lips_as_set(const PolicySettings& settings);
solver::LinearProgram lips_program_as_set(const PolicyInput& input, const PolicySettings& settings);

}  // namespace lips
