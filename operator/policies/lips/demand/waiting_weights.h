// Jobs do not wait at one price where some are due, targets have moved the price of some pools, part of a job has
// started, or each counts beside its work. One program has one price of a wait. A job whose wait counts more than that
// takes its dollars that much lighter, and goes that much earlier.
#pragma once

#include <unordered_map>

#include "model/snapshot.h"
#include "policies/settings.h"

namespace lips {

// A job is done when its last task is: the wait of its last tasks counts for all of it, up to this factor. By use it
// counts for themselves alone, as in the LiPS paper.
inline constexpr double most_of_last_tasks = 3;

// The deadline of a job and the targets of its pool say how urgent it is, and that is its own affair. It weighs all of
// the job's dollars, and moves the price of nobody else's wait. Last tasks and waitingPerJob are shares of one price:
// they weigh the dollars that a place costs beside its nodes, and their mean is in the price of all.
struct WaitingWeights {
  double mean = 1;                            // times the setting waitingPrice
  std::unordered_map<JobId, double> of_job;   // of those that are pending, relative to the mean; empty: 1 for all
  std::unordered_map<JobId, double> urgency;  // the part of that which is the job's own; empty: 1 for all

  double of(JobId job) const { return in(of_job, job); }
  double urgency_of(JobId job) const { return in(urgency, job); }

 private:
  static double in(const std::unordered_map<JobId, double>& weights, JobId job) {
    const auto found = weights.find(job);
    return found == weights.end() ? 1 : found->second;
  }
};

// More different urgencies than these are rounded to powers of two in prices: each is other tasks to a program.
inline constexpr std::size_t most_urgencies = 8;

struct JobWeights {
  WaitingWeights in_price;
  // In the order of jobs. There, last tasks count as any others on fixed nodes: the slots that they take are those of
  // other jobs, and a large job always has tasks that have started.
  WaitingWeights in_order;
};

// Means are over pending work. Where all jobs are equally urgent, that is in the mean; else urgency is relative to the
// target factor of the pools in which most work is pending.
JobWeights job_weights(const ClusterSnapshot& cluster, const LipsSettings& settings);

// The cost of an hour's wait of a CPU-second in one plan of these jobs, in mean prices of a CPU-second.
double price_of_wait(const ClusterSnapshot& cluster, const LipsSettings& settings, const WaitingWeights& weights);

}  // namespace lips
