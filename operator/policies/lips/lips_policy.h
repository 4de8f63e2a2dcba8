// The policy `lips`: time slots of waiting, replanned on events; or one horizon, filled several waves deep.
#pragma once

#include <memory>

#include "policies/policy.h"
#include "policies/settings.h"
#include "solver/linear_program.h"

namespace lips {

class LipsPolicy : public Policy {
 public:
  explicit LipsPolicy(const PolicySettings& settings) : settings_(settings) {}
  Cadence cadence() const override;
  Result<Plan> decide(const PolicyInput& input) const override;

 private:
  PolicySettings settings_;
};

// The linear program that a decision starts from, with every column.
solver::LinearProgram lips_program(const PolicyInput& input, const PolicySettings& settings);

std::unique_ptr<Policy> make_lips(const PolicySettings& settings);

}  // namespace lips
