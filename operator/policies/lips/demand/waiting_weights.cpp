#include "policies/lips/demand/waiting_weights.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "model/jobs_in_parts.h"
#include "model/starts_in_time.h"
#include "model/targets.h"
#include "model/work_left.h"
#include "policies/waiting_price.h"

namespace lips {

namespace {

constexpr double least_pending_work = 1;  // CPU-seconds: less is as much, so that quotients stay finite

// Those of a job as its owner sees it: all of its parts wait at one price.
class Factors {
 public:
  Factors(const ClusterSnapshot& cluster, const LipsSettings& settings)
      : cluster_(cluster), parts_(cluster), more_work_(3600 * waiting_per_job(cluster, settings)) {
    any_due_ = std::any_of(cluster.pending.begin(), cluster.pending.end(),
                           [&](JobId id) { return cluster.jobs[id].due.any(); });
  }

  // `last_tasks`: whether they count for all of their job.
  double of(JobId id, bool last_tasks) {
    const Job& job = cluster_.jobs[id];
    const double pending = parts_.pending_work(id).value();
    const double all = last_tasks ? all_by_last_tasks(job, pending) : 1;
    const double factor = cluster_.pools[job.pool].waiting_factor * (all + of_the_job(pending));
    if (!any_due_) return factor;
    const auto [found, added] = due_.try_emplace(parts_.first(id), 1);
    if (added) found->second = due(id);
    return factor * found->second;
  }

 private:
  static double all_by_last_tasks(const Job& job, double pending) {
    return pending > 0 ? std::clamp(all_work(job).value() / pending, 1.0, most_of_last_tasks) : 1;
  }

  double of_the_job(double pending) const {
    return more_work_ > 0 ? more_work_ / std::max(pending, least_pending_work) : 0;
  }

  // By the part that is most urgent; 1 if none is due.
  double due(JobId id) {
    std::optional<double> factor;
    double ends = 0;
    const auto consider = [&](double needed, Duration left) {
      factor = std::max(factor.value_or(0), deadline_factor(needed, to_seconds(left)));
    };
    const double needed = seconds_needed(id);
    parts_.each(id, [&](JobId part) {
      const Job& job = cluster_.jobs[part];
      if (job.due.complete_by) consider(needed, *job.due.complete_by - cluster_.now);
      if (const auto& end = job.due.ends_by)
        ends = std::max(ends, deadline_factor(needed, to_seconds(*end - cluster_.now)));
      if (job.due.start_by) consider(seconds_waited(part), *job.due.start_by - job.arrival);
    });
    return std::max(factor.value_or(1), ends);
  }

  // By its last task, at full speed. What no node takes waits at the price of others.
  double seconds_waited(JobId id) {
    if (!starts_) starts_.emplace(cluster_, parts_);
    const Job& job = cluster_.jobs[id];
    const double to_come = starts_->of(id, job.pending);
    return to_seconds(cluster_.now - job.arrival) + (std::isfinite(to_come) ? to_come : 0);
  }

  double seconds_needed(JobId id) {
    if (work_rate_ <= 0) work_rate_ = std::max(work_rate(cluster_), 1e-9);
    return seconds_at_full_speed(cluster_, parts_, id, work_rate_);
  }

  const ClusterSnapshot& cluster_;
  const PendingParts parts_;
  const double more_work_;  // CPU-seconds by which each job counts
  bool any_due_ = false;
  double work_rate_ = 0;  // once it is needed
  std::optional<StartsInTime> starts_;
  std::unordered_map<JobId, double> due_;  // by the first part of a job
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
