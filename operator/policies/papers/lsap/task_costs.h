// The cost matrix of a wave, a row a task: locality, fairness and age put together. Knows no solver.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/papers/lsap/group_fairness.h"
#include "policies/papers/lsap/placement.h"

namespace lips::lsap {

// DLC of lsap-sched (1).
std::vector<TaskCost> locality_costs(const ClusterSnapshot& cluster, const Wave& wave, const LevelCosts& levels);

// FC + DLC of lsap-fair-sched (7); `running` by pool. DLC alone when the slots suffice for all.
std::vector<TaskCost> fair_costs(const ClusterSnapshot& cluster, const Wave& wave, const LevelCosts& levels,
                                 const std::vector<std::uint64_t>& running, const PolicySettings& settings);

// A task whose job has waited `patience` longer than another's gets the largest cost's worth of credit more, in
// quarters. 0: none.
void add_credit(const ClusterSnapshot& cluster, const Wave& wave, Duration patience, std::vector<TaskCost>& costs);

}  // namespace lips::lsap
