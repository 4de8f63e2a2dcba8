#include "policies/lips/demand/waiting_weights.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/jobs_in_parts.h"
#include "model/starts_in_time.h"
#include "model/targets.h"
#include "model/work_left.h"
#include "policies/waiting_price.h"

namespace lips {

namespace {

constexpr double least_pending_work = 1;  // CPU-seconds: less is as much, so that quotients stay finite

constexpr double least_factor = 1e-3;  // a pool whose wait costs nothing still takes no dollars for nothing

// Those of a job as its owner sees it: all of its parts wait at one price.
class Factors {
 public:
  Factors(const ClusterSnapshot& cluster, const LipsSettings& settings)
      : cluster_(cluster), parts_(cluster), more_work_(3600 * waiting_per_job(cluster, settings)) {
    any_due_ = std::any_of(cluster.pending.begin(), cluster.pending.end(),
                           [&](JobId id) { return cluster.jobs[id].due.any(); });
  }

  // `last_tasks`: they count for all of their job.
  double of(JobId id, bool last_tasks) {
    const double factor = pool(id) * beside_urgency(id, last_tasks);
    return any_due_ ? factor * due(id) : factor;
  }

  double beside_urgency(JobId id, bool last_tasks) const {
    const double pending = parts_.pending_work(id).value();
    const double all = last_tasks ? all_by_last_tasks(cluster_.jobs[id], pending) : 1;
    return all + of_the_job(pending);
  }

  double pool(JobId id) const { return cluster_.pools[cluster_.jobs[id].pool].waiting_factor; }
  double urgency(JobId id) { return pool(id) * due(id); }

 private:
  static double all_by_last_tasks(const Job& job, double pending) {
    return pending > 0 ? std::clamp(all_work(job).value() / pending, 1.0, most_of_last_tasks) : 1;
  }

  double of_the_job(double pending) const {
    return more_work_ > 0 ? more_work_ / std::max(pending, least_pending_work) : 0;
  }

  double due(JobId id) {
    if (!any_due_) return 1;
    const auto [found, added] = due_.try_emplace(parts_.first(id), 1);
    if (added) found->second = of_deadlines(id);
    return found->second;
  }

  // By the part that is most urgent; 1 if none is due.
  double of_deadlines(JobId id) {
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

// The target factor of most pending work; of several the least.
double usual_factor(const ClusterSnapshot& cluster, const Factors& factors) {
  std::map<double, double> work;
  for (const JobId job : cluster.pending) work[factors.pool(job)] += cluster.jobs[job].pending_work.value();
  const auto most =
      std::max_element(work.begin(), work.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return std::max(most->first, least_factor);
}

using Urgencies = std::vector<std::pair<JobId, double>>;

// Those of the pending jobs that are more or less urgent than usual; empty where all are equally urgent.
Urgencies urgencies(const ClusterSnapshot& cluster, Factors& factors) {
  Urgencies result;
  const auto differs = [&](JobId job) { return factors.urgency(job) != factors.urgency(cluster.pending.front()); };
  if (std::none_of(cluster.pending.begin(), cluster.pending.end(), differs)) return result;
  const double usual = usual_factor(cluster, factors);
  for (const JobId job : cluster.pending)
    if (const double urgency = std::max(factors.urgency(job), least_factor) / usual; urgency != 1)
      result.emplace_back(job, urgency);
  return result;
}

Urgencies rounded(Urgencies urgencies) {
  std::set<double> different;
  for (const auto& [job, urgency] : urgencies) different.insert(urgency);
  if (different.size() > most_urgencies)
    for (auto& [job, urgency] : urgencies) urgency = std::exp2(std::round(std::log2(urgency)));
  return urgencies;
}

void add(const Urgencies& urgencies, WaitingWeights& weights) {
  for (const auto& [job, urgency] : urgencies) {
    weights.of_job.try_emplace(job, 1).first->second *= urgency;
    if (urgency != 1) weights.urgency.emplace(job, urgency);
  }
}

}  // namespace

JobWeights job_weights(const ClusterSnapshot& cluster, const LipsSettings& settings) {
  Factors factors(cluster, settings);
  const Urgencies own = urgencies(cluster, factors);
  const auto weights = [&](bool last_tasks, const Urgencies& urgencies) {
    if (own.empty()) return weights_by(cluster, [&](JobId job) { return factors.of(job, last_tasks); });
    WaitingWeights result = weights_by(cluster, [&](JobId job) { return factors.beside_urgency(job, last_tasks); });
    result.mean *= usual_factor(cluster, factors);
    add(urgencies, result);
    return result;
  };
  const bool by_invoice = settings.billing == Billing::invoice;
  return {weights(by_invoice, rounded(own)), weights(by_invoice && !cluster.offers.empty(), own)};
}

double price_of_wait(const ClusterSnapshot& cluster, const LipsSettings& settings, const WaitingWeights& weights) {
  return waiting_price(cluster, settings) * weights.mean;
}

}  // namespace lips
