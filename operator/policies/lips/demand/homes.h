// A home zone for each job with shuffle, chosen once, when the job is first planned (docs/shuffle.md).
#pragma once

#include <vector>

#include "policies/lips/market/node_classes.h"
#include "policies/policy.h"

namespace lips {

struct Homes {
  std::vector<ZoneId> zone;    // [job] where it was decided just now; empty when no job needs one
  std::vector<JobId> decided;  // jobs that needed one, in order of arrival
  double gap = 0;              // certified: of the plan in which they were chosen
};

// It has shuffle, maps to run, and no home yet.
bool chooses_home(const Job& job);

// For the pending jobs except those in `skip`, placed together with all other pending work on the classes' steps.
Homes choose_homes(const PolicyInput& input, const NodeClasses& classes, const std::vector<bool>& skip);

// Tells the plan of the homes, and how close to the least they cost.
void remember_homes(const ClusterSnapshot& cluster, const Homes& homes, Plan& plan);

}  // namespace lips
