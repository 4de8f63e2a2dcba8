// Mechanism 1 of the modified fair scheduler (section 3.1): which jobs are small, and whether they get a pool of their
// own. Pure.
#pragma once

#include <cstdint>
#include <span>

namespace lips::fair {

// minJobSize: the maps of the smallest job; 0 when there is none.
std::uint32_t least_job_size(std::span<const std::uint32_t> maps_of_jobs);
// SmallJobs / TotalJobs is at most 1 / (mean map slots of a node), and some job is small.
bool small_pool_is_useful(std::span<const std::uint32_t> maps_of_jobs, double slots_per_node);
// Slots of the small jobs' pool (section 3.2): half the need of the smallest job, rounded up.
std::uint32_t small_pool_slots(std::uint32_t least_job);

}  // namespace lips::fair
