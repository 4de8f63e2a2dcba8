#include "policies/papers/pipeline/task_order.h"

#include <algorithm>

namespace lips::pipeline {

namespace {
constexpr double slack = 1e-6;  // of sums of cores
}

TaskOrder::TaskOrder(const Draft& draft, const PolicySettings& settings, std::vector<fair::PoolLoad> loads,
                     std::vector<double> limits, std::vector<std::uint32_t> tasks)
    : cluster_(draft.cluster),
      order_(settings.pipeline.order),
      readings_(settings.modified_fair),
      pools_(cluster_.pools.size()),
      tasks_(std::move(tasks)) {
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    pools_[i].load = loads[i];
    pools_[i].load.tie = i;
    pools_[i].limit = limits[i];
    pools_[i].maximum = cluster_.pools[PoolId(static_cast<std::uint32_t>(i))].maximum.value();
  }
  for (const JobId job : cluster_.pending)
    if (tasks_[job.index()] > 0) pools_[queue_of(job)].jobs.insert(key(job));
}

std::size_t TaskOrder::queue_of(JobId job) const { return cluster_.jobs[job].pool.index(); }

fair::JobKey TaskOrder::key(JobId id) const {
  const Job& job = cluster_.jobs[id];
  const auto left = static_cast<double>(tasks_[id.index()]);
  const fair::JobLoad load{id, static_cast<double>(job.priority), left, job.running + job.pending - left, job.arrival};
  switch (order_) {
    case PipelineOrder::fair:
      return fair::fair_job_key(load);
    case PipelineOrder::modified_fair:
      return fair::modified_job_key(load, readings_.pending_first);
    case PipelineOrder::planned:
    case PipelineOrder::degraded_first:
    case PipelineOrder::arrival:
      break;
  }
  return fair::fifo_job_key(load);
}

JobId TaskOrder::first(PoolQueue& queue) {
  while (!queue.jobs.empty()) {
    const JobId id = std::get<JobId>(*queue.jobs.begin());
    const double after = queue.load.workload + cluster_.jobs[id].request.cpu.value();
    if (queue.load.workload >= queue.limit - slack) break;
    if (queue.maximum <= 0 || after <= queue.maximum + slack) return id;
    queue.jobs.erase(queue.jobs.begin());
    at_limit_ = true;
  }
  at_limit_ |= !queue.jobs.empty();
  return JobId::none();
}

JobId TaskOrder::next() {
  JobId best;
  fair::PoolKey least;
  fair::JobKey least_job;
  for (PoolQueue& queue : pools_) {
    const JobId job = first(queue);
    if (!job.valid()) continue;
    const fair::JobKey job_key = *queue.jobs.begin();
    fair::PoolKey pool_key{};  // equal for all: jobs of all pools in one order
    if (order_ == PipelineOrder::fair) pool_key = fair::fair_pool_key(queue.load);
    if (order_ == PipelineOrder::modified_fair) pool_key = fair::modified_pool_key(queue.load, readings_.empty_ratio);
    if (best.valid() && std::pair(least, least_job) < std::pair(pool_key, job_key)) continue;
    best = job;
    least = pool_key;
    least_job = job_key;
  }
  return best;
}

void TaskOrder::served(JobId job) {
  PoolQueue& queue = pools_[queue_of(job)];
  queue.jobs.erase(key(job));
  queue.load.workload += cluster_.jobs[job].request.cpu.value();
  queue.load.demand -= cluster_.jobs[job].request.cpu.value();
  if (--tasks_[job.index()] > 0) queue.jobs.insert(key(job));
}

void TaskOrder::give_back(JobId job) {
  close(job);
  PoolQueue& queue = pools_[queue_of(job)];
  queue.load.workload -= cluster_.jobs[job].request.cpu.value();
  queue.load.demand += cluster_.jobs[job].request.cpu.value();
}

void TaskOrder::close(JobId job) { pools_[queue_of(job)].jobs.erase(key(job)); }

}  // namespace lips::pipeline
