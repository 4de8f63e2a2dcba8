// The default policy: a market of room and work in time slots of waiting, made anew on events (docs/default-policy.md).
#pragma once

#include <memory>

#include "policies/policy.h"
#include "policies/settings.h"
#include "solver/linear_program.h"

namespace lips {

class LipsPolicy : public Policy {
 public:
  explicit LipsPolicy(const PolicySettings& settings) : settings_(settings) {}
  Cadence cadence() const override {
    return {Cadence::Trigger::events, settings_.replan_every, settings_.replan_least};
  }
  Result<Plan> decide(const PolicyInput& input) const override;

 private:
  PolicySettings settings_;
};

// The linear program that a decision starts from, with every column.
solver::LinearProgram lips_program(const PolicyInput& input, const PolicySettings& settings);

std::unique_ptr<Policy> make_lips(const PolicySettings& settings);

}  // namespace lips
