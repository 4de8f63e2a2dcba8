#include "policies/lips/demand/job_order.h"

#include <algorithm>
#include <cmath>

#include "model/jobs_in_parts.h"

namespace lips {

JobOrderSettings job_order(const ClusterSnapshot& cluster, const LipsSettings& settings, const WaitingWeights& weights,
                           UsdPerCpuSecond wait) {
  JobOrderSettings order;
  order.factor = settings.order_factor;
  if (settings.horizon == Duration(0)) {
    order.weights = weights;
    order.by_work_left = settings.billing == Billing::invoice && cluster.offers.empty();
  }
  order.share_boost_hours = wait.value() > 0 ? 1 / wait.value() : 0;
  return order;
}

// A job whose wait counts twice has waited for twice as long, and takes half of its time.
double JobOrder::urgency(JobId id) const {
  const Job& job = cluster_.jobs[id];
  const double weight = settings_.weights.of(id);
  const double all = all_work(job).value();
  const double work = settings_.by_work_left ? std::sqrt(all * all_work_left(job).value()) : all;
  double seconds = settings_.factor * work / std::max(1e-9, classes_.work_rate);
  const TimePoint came = began(job);
  if (weight == 1)
    seconds = to_seconds(came) + seconds;
  else
    seconds = to_seconds(cluster_.now) - weight * to_seconds(cluster_.now - came) + seconds / weight;
  return seconds - boost(job);
}

// Seconds by which jobs of a pool below its share go earlier.
double JobOrder::boost(const Job& job) const {
  const Pool& pool = cluster_.pools[job.pool];
  if (pool.shortfall_price.value() <= 0 || settings_.share_boost_hours <= 0) return 0;
  double weights = 0;
  for (const Pool& other : cluster_.pools) weights += other.weight;
  const double share = std::max(pool.minimum.value(), classes_.cores.value() * pool.weight / std::max(1e-9, weights));
  return cluster_.pool_cores[job.pool].value() < share
             ? 3600 * settings_.share_boost_hours * pool.shortfall_price.value()
             : 0;
}

}  // namespace lips
