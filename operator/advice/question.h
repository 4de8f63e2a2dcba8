// A cluster at one moment with the policy that plans it: a value that can be changed and planned again. Knows no source
// of it and no words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/costs.h"
#include "model/plan.h"
#include "model/snapshot.h"
#include "policies/settings.h"

namespace lips::advice {

struct Question {
  ClusterSnapshot cluster;
  CostModel costs;
  std::string policy = "lips";
  PolicySettings settings;
  std::uint64_t seed = 1;
};

struct Outcome {
  Plan plan;
  std::vector<Assignment> starting;  // that the dispatcher carries out at once, in its order

  const Assignment* start_of(TaskId task) const;     // nullptr: it does not start at once
  const Assignment* planned_for(TaskId task) const;  // nullptr: the plan defers it
};

// The policy's checked plan, and what starts with it. Where a policy plans at heartbeats, every schedulable node
// reports.
Result<Outcome> ask(const Question& question);

// The assignments that the dispatcher binds as soon as it has the plan.
std::vector<Assignment> first_dispatch(const ClusterSnapshot& cluster, const Plan& plan);

}  // namespace lips::advice
