#include "policies/lips/demand/waiting_weights.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "model/last_starts.h"
#include "model/targets.h"
#include "model/work_left.h"
#include "policies/waiting_price.h"

namespace lips {

namespace {

constexpr double least_pending_work = 1;  // CPU-seconds: less is as much, so that quotients stay finite

class Factors {
 public:
  Factors(const ClusterSnapshot& cluster, const LipsSettings& settings)
      : cluster_(cluster), more_work_(3600 * waiting_per_job(cluster, settings)) {}

  // `last_tasks`: whether they count for all of their job.
  double of(JobId id, bool last_tasks) {
    const Job& job = cluster_.jobs[id];
    const double all = last_tasks ? all_by_last_tasks(job) : 1;
    const double factor = cluster_.pools[job.pool].waiting_factor * (all + of_the_job(job));
    if (!job.due.any()) return factor;
    const auto [found, added] = due_.try_emplace(id);
    if (added) found->second = due(id);
    return factor * found->second;
  }

 private:
  static double all_by_last_tasks(const Job& job) {
    if (job.pending_work.value() <= 0) return 1;
    return std::clamp(job.work / job.pending_work, 1.0, most_of_last_tasks);
  }

  double of_the_job(const Job& job) const {
    return more_work_ > 0 ? more_work_ / std::max(job.pending_work.value(), least_pending_work) : 0;
  }

  double due(JobId id) {
    const Job& job = cluster_.jobs[id];
    double factor = 0;
    if (job.due.complete_by)
      factor = deadline_factor(seconds_needed(id), to_seconds(*job.due.complete_by - cluster_.now));
    if (job.due.start_by)
      factor = std::max(factor, deadline_factor(seconds_waited(id), to_seconds(*job.due.start_by - job.arrival)));
    return factor;
  }

  // By its last task, at full speed. What no node takes waits at the price of others.
  double seconds_waited(JobId id) {
    if (!last_starts_) last_starts_.emplace(cluster_);
    const Job& job = cluster_.jobs[id];
    const double to_come = last_starts_->of(id, job.pending).start;
    return to_seconds(cluster_.now - job.arrival) + (std::isfinite(to_come) ? to_come : 0);
  }

  double seconds_needed(JobId id) {
    if (work_rate_ <= 0) work_rate_ = std::max(work_rate(cluster_), 1e-9);
    return seconds_at_full_speed(cluster_, id, work_rate_);
  }

  const ClusterSnapshot& cluster_;
  const double more_work_;  // CPU-seconds by which each job counts
  double work_rate_ = 0;    // once it is needed
  std::optional<LastStarts> last_starts_;
  std::unordered_map<JobId, double> due_;
};

template <class FactorOf>
WaitingWeights weights_by(const ClusterSnapshot& cluster, const FactorOf& factor_of) {
  WaitingWeights weights;
  if (cluster.pending.empty()) return weights;
  weights.mean = factor_of(cluster.pending.front());
  if (std::all_of(cluster.pending.begin(), cluster.pending.end(),
                  [&](JobId job) { return factor_of(job) == weights.mean; }))
    return weights;
  double work = 0, weighted = 0;
  for (const JobId job : cluster.pending) {
    work += cluster.jobs[job].pending_work.value();
    weighted += cluster.jobs[job].pending_work.value() * factor_of(job);
  }
  weights.mean = work > 0 && weighted > 0 ? weighted / work : 1;
  for (const JobId job : cluster.pending) weights.of_job.emplace(job, factor_of(job) / weights.mean);
  return weights;
}

}  // namespace

JobWeights job_weights(const ClusterSnapshot& cluster, const LipsSettings& settings) {
  Factors factors(cluster, settings);
  const auto weights = [&](bool last_tasks) {
    return weights_by(cluster, [&](JobId job) { return factors.of(job, last_tasks); });
  };
  const bool by_invoice = settings.billing == Billing::invoice;
  WaitingWeights in_price = weights(by_invoice);
  if (!by_invoice || !cluster.offers.empty()) return {in_price, in_price};
  return {std::move(in_price), weights(false)};
}

double price_of_wait(const ClusterSnapshot& cluster, const LipsSettings& settings, const WaitingWeights& weights) {
  return waiting_price(cluster, settings) * weights.mean;
}

}  // namespace lips
