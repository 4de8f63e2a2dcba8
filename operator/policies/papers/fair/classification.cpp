#include "policies/papers/fair/classification.h"

#include <algorithm>

namespace lips::fair {

std::uint32_t least_job_size(std::span<const std::uint32_t> maps_of_jobs) {
  return maps_of_jobs.empty() ? 0 : *std::ranges::min_element(maps_of_jobs);
}

bool small_pool_is_useful(std::span<const std::uint32_t> maps_of_jobs, double slots_per_node) {
  if (maps_of_jobs.empty()) return false;
  const auto small = std::ranges::count(maps_of_jobs, least_job_size(maps_of_jobs));
  return static_cast<double>(small) * slots_per_node <= static_cast<double>(maps_of_jobs.size());
}

std::uint32_t small_pool_slots(std::uint32_t least_job) { return least_job / 2 + least_job % 2; }

}  // namespace lips::fair
