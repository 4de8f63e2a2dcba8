// Is a plan possible in its snapshot? Conformance, property tests and the controller's own guard ask this.
#pragma once

#include <string>
#include <vector>

#include "model/plan.h"
#include "model/snapshot.h"

namespace lips {

// What is wrong, one sentence each; empty when nothing is. Checks: pending tasks only, each at most once; eligible and
// schedulable nodes; a task fits its node alone; the replica exists or is on its way; moves and drops keep the last
// replica; memories are of jobs and zones that exist.
std::vector<std::string> validate_plan(const ClusterSnapshot& cluster, const Plan& plan);

// As above, and everything that is assigned fits at once (a plan one wave deep).
std::vector<std::string> validate_single_wave(const ClusterSnapshot& cluster, const Plan& plan);

}  // namespace lips
