// The last step of the pipeline: which job's turn it is. Pool by pool where the order goes by pools, within each pool's
// limit. Lives as long as one decision.
#pragma once

#include <set>
#include <vector>

#include "policies/drafting/draft.h"
#include "policies/papers/fair/order.h"

namespace lips::pipeline {

class TaskOrder {
 public:
  // `tasks` of each job to hand out, by job; `loads` and `limits` by pool.
  TaskOrder(const Draft& draft, const PolicySettings& settings, std::vector<fair::PoolLoad> loads,
            std::vector<double> limits, std::vector<std::uint32_t> tasks);

  // The job whose turn it is; none: all are served, closed or at their pools' limits.
  JobId next();
  void served(JobId job);
  void close(JobId job);
  // A turn that led to nothing: its pool has the room again, the job gets no more turns.
  void give_back(JobId job);
  bool at_limit() const { return at_limit_; }

 private:
  struct PoolQueue {
    fair::PoolLoad load;
    double limit = 0, maximum = 0;
    std::set<fair::JobKey> jobs;
  };
  fair::JobKey key(JobId job) const;
  std::size_t queue_of(JobId job) const;
  // The pool's first job that its limits let start; jobs too large for what is left of the maximum are closed.
  JobId first(PoolQueue& queue);

  const ClusterSnapshot& cluster_;
  PipelineOrder order_;
  ModifiedFairSettings readings_;
  std::vector<PoolQueue> pools_;
  std::vector<std::uint32_t> tasks_;
  bool at_limit_ = false;
};

}  // namespace lips::pipeline
