// The record of a decision, as the operator makes it.
#pragma once

#include <string>

#include "policies/policy.h"
#include "records/digest.h"
#include "records/epoch_record.h"
#include "simulation/scenario.h"

namespace lips::testing {

inline EpochRecord record_of(const std::string& name, const simulation::Scenario& scenario, const PolicyInput& input,
                             const Plan& plan) {
  EpochRecord record;
  record.epoch = 7, record.version = "test", record.policy = name, record.settings = scenario.settings;
  record.seed = input.seed;
  record.reporting.assign(input.reporting.begin(), input.reporting.end());
  record.digest = plan_digest(plan);
  record.invoice = {Usd(1.25), Usd(0.5), Usd(0.25), Usd(0.125), Usd(1e-9)};
  record.snapshot = {input.cluster, input.costs};
  return record;
}

}  // namespace lips::testing
