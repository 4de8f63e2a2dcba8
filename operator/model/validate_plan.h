// Checks whether a plan is possible in its snapshot, for the controller's guard, conformance and property tests.
#pragma once

#include <string>
#include <vector>

#include "model/plan.h"
#include "model/snapshot.h"

namespace lips {

// The faults, one sentence each; empty when there are none. Checks: pending tasks only, each at most once; eligible and
// schedulable nodes; a task fits its node alone; the replica exists or is on its way; moves and drops keep the last
// replica; memories name jobs and zones that exist.
std::vector<std::string> validate_plan(const ClusterSnapshot& cluster, const Plan& plan);

// Also checks that all assignments fit at once (a plan one wave deep).
std::vector<std::string> validate_single_wave(const ClusterSnapshot& cluster, const Plan& plan);

}  // namespace lips
