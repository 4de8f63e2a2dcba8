// A plan with the snapshot that it was made of, for those who count it.
#pragma once

#include <string_view>

#include "model/costs.h"
#include "model/plan.h"
#include "model/snapshot.h"

namespace lips {

struct DecidedPlan {
  std::string_view policy;
  const ClusterSnapshot& cluster;
  const CostModel& costs;
  const Plan& plan;
  double seconds = 0;  // wall time of the decision
};

}  // namespace lips
