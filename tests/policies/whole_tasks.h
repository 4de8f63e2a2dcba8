// Whole tasks in classes of nodes, written apart from the planner: which plans a horizon's model allows, and the
// cheapest one by trying them all.
#pragma once

#include <map>
#include <optional>

#include "tests/policies/random_world.h"

namespace lips::testing {

// Says whether a bound for this horizon speaks of the plan: every pool stays within its maximum and every link within
// its bandwidth; and either all tasks start at once, however long they run, or each class of nodes has time for what it
// gets.
bool within_the_model(const RandomWorld& world, const Plan& plan, const PolicySettings& settings);

// The least that serving these tasks costs, each whole, no class of nodes beyond its CPU, memory or slots in the
// horizon; none when that is not possible.
std::optional<double> cheapest_whole_tasks(const RandomWorld& world, const std::map<TaskId, Assignment>& tasks,
                                           Duration horizon);

}  // namespace lips::testing
