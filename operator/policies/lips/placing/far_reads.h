// Reads from afar that make no job quicker. A job is done when its last task is: where some of its tasks wait for a
// node anyway, others that start now far from their data pay for a transfer, and the job is done no earlier. The
// program prices the wait of each task by itself and does not know this, so it is solved again with such jobs' waits
// lighter.
#pragma once

#include <vector>

#include "policies/lips/market/workload.h"
#include "policies/lips/placing/packing.h"

namespace lips {

inline constexpr double lighter_wait = 0.1;    // of a job that would read from afar for nothing
inline constexpr int rounds_of_far_reads = 3;  // each may find more such jobs

// Jobs with tasks that start in a zone without their data, while others of theirs start nowhere: with all parts that
// have pending tasks. By id.
std::vector<JobId> far_for_nothing(const ClusterSnapshot& cluster, const Workload& workload,
                                   const std::vector<Placement>& placements);

}  // namespace lips
