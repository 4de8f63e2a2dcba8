#include "policies/papers/fair/order.h"

#include <algorithm>
#include <cmath>

namespace lips::fair {

namespace {
constexpr double least_weight = 1e-9;
constexpr double order_slack = 1e-9;  // of sums of cores
}  // namespace

double tuned_minimum(const PoolLoad& pool) { return std::min(pool.minimum, pool.demand); }

double pool_occupied_ratio(const PoolLoad& pool, EmptyRatio empty) {
  const double minimum = tuned_minimum(pool);
  if (minimum > 0) return pool.workload / minimum;
  return empty == EmptyRatio::zero ? 0 : 1;
}

double weighted_workload(const PoolLoad& pool) { return pool.workload / std::max(pool.weight, least_weight); }

PoolKey modified_pool_key(const PoolLoad& pool, EmptyRatio empty) {
  if (pool.workload <= tuned_minimum(pool) + order_slack) return {0, pool_occupied_ratio(pool, empty), pool.tie};
  return {1, weighted_workload(pool), pool.tie};
}

PoolKey fair_pool_key(const PoolLoad& pool) {
  const double minimum = std::min(pool.minimum, pool.workload + pool.demand);
  if (pool.workload < minimum - order_slack) return {0, pool.workload / std::max(minimum, 1.0), pool.tie};
  return {1, weighted_workload(pool), pool.tie};
}

double job_pending_ratio(double pending, double pending_in_pool) {
  return pending_in_pool > 0 ? pending / pending_in_pool : 0;
}

double job_occupied_ratio(double running, double slots_of_pool) {
  return slots_of_pool > 0 ? running / slots_of_pool : 0;
}

JobKey modified_job_key(const JobLoad& job, PendingFirst pending) {
  const double order = pending == PendingFirst::most ? -job.pending : job.pending;
  return {-job.priority, order, job.running, job.arrival, job.id};
}

JobKey fair_job_key(const JobLoad& job) {
  return {job.running / std::exp2(std::clamp(job.priority, -2.0, 2.0)), 0, 0, job.arrival, job.id};
}

JobKey fifo_job_key(const JobLoad& job) { return {-job.priority, 0, 0, job.arrival, job.id}; }

}  // namespace lips::fair
