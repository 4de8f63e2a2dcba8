// Where targets have moved the price of waiting of some pools, jobs are due, part of a job has started, or each job
// counts beside its work (waitingPerJob), jobs do not wait at one price. One program has one price of waiting: the
// mean. A job whose wait counts more than that takes its other dollars that much lighter, and goes that much earlier.
#pragma once

#include <unordered_map>

#include "model/snapshot.h"
#include "policies/settings.h"

namespace lips {

// A job is done when its last task is: the wait of its last tasks counts for all of it, up to this factor. By use it
// counts for themselves alone, as in the LiPS paper.
inline constexpr double most_of_last_tasks = 3;

struct WaitingWeights {
  double mean = 1;                           // times the setting waitingPrice
  std::unordered_map<JobId, double> of_job;  // of those that are pending, relative to the mean; empty: 1 for all

  double of(JobId job) const {
    const auto found = of_job.find(job);
    return found == of_job.end() ? 1 : found->second;
  }
};

struct JobWeights {
  WaitingWeights in_price;
  // In the order of jobs. There, last tasks count as any others on fixed nodes: the slots that they take are those of
  // other jobs, and a large job always has tasks that have started.
  WaitingWeights in_order;
};

// Means are over pending work.
JobWeights job_weights(const ClusterSnapshot& cluster, const LipsSettings& settings);

// The cost of an hour's wait of a CPU-second in one plan of these jobs, in mean prices of a CPU-second.
double price_of_wait(const ClusterSnapshot& cluster, const LipsSettings& settings, const WaitingWeights& weights);

}  // namespace lips
