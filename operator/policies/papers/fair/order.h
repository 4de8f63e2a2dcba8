// The order of pools and jobs: Hadoop 1.2.1's fair scheduler, its FIFO, and mechanism 3 of the modified fair scheduler
// (section 3.3). Pure.
#pragma once

#include <cstdint>
#include <tuple>

#include "base/ids.h"
#include "base/units.h"
#include "policies/settings.h"

namespace lips::fair {

struct PoolLoad {
  double workload = 0;  // slots in use (4)
  double demand = 0;    // slots that pending tasks ask for (3)
  double minimum = 0;   // minAllocated, as configured
  double weight = 1;
  std::uint64_t tie = 0;
};

// (3): a pool cannot need more than its demand.
double tuned_minimum(const PoolLoad& pool);
// (5)
double pool_occupied_ratio(const PoolLoad& pool, EmptyRatio empty);
// (6)
double weighted_workload(const PoolLoad& pool);

// The least goes first.
using PoolKey = std::tuple<int, double, std::uint64_t>;
PoolKey modified_pool_key(const PoolLoad& pool, EmptyRatio empty);
// Hadoop 1.2.1, FairShareComparator: pools below min(minimum, running + pending) first, by running / that; else by
// running / weight.
PoolKey fair_pool_key(const PoolLoad& pool);

struct JobLoad {
  JobId id;
  double priority = 0;
  double pending = 0, running = 0;  // tasks
  TimePoint arrival{};
};

// (1), (2)
double job_pending_ratio(double pending, double pending_in_pool);
double job_occupied_ratio(double running, double slots_of_pool);

using JobKey = std::tuple<double, double, double, TimePoint, JobId>;
// Priority, JobPendingRatio, JobOccupiedRatio, submission, id. All jobs of a pool share the denominators of both
// ratios, so the numerators give the order, even for 0/0.
JobKey modified_job_key(const JobLoad& job, PendingFirst pending = PendingFirst::most);
// Running tasks over the weight that a priority is worth: 4, 2, 1, 1/2, 1/4 from VERY_HIGH to VERY_LOW.
JobKey fair_job_key(const JobLoad& job);
JobKey fifo_job_key(const JobLoad& job);

}  // namespace lips::fair
