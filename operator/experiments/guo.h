// The experiments of Guo, Fox and Zhou, "Investigation of Data Locality and Fairness in MapReduce" (MapReduce 2012),
// section 4: what the text prints beside what our policies do, in every reading that the text leaves open.
#pragma once

#include <cstdint>
#include <vector>

#include "experiments/claim.h"
#include "policies/policy.h"

namespace lips::experiments {

struct GuoRun {
  std::uint32_t seeds = 15;
  std::uint32_t most_nodes = 500;  // of the sweeps from 100 in steps of 50
};

std::vector<Claim> guo_solver_times(const GuoRun& run, const Stopwatch& stopwatch);  // 4.1
std::vector<Claim> guo_locality(const GuoRun& run);                                  // 4.2
std::vector<Claim> guo_locality_cost(const GuoRun& run);                             // 4.3
std::vector<Claim> guo_fairness(const GuoRun& run);                                  // 4.4

}  // namespace lips::experiments
