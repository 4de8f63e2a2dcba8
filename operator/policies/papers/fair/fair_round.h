// One decision of the fair scheduler, with the mechanisms of the modified one as switches: a node that reports gets
// tasks pool by pool, job by job, with delay scheduling. Knows no cadence and keeps no state.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "policies/drafting/draft.h"
#include "policies/drafting/locality_level.h"
#include "policies/drafting/stage_slots.h"
#include "policies/papers/fair/adaptive_delays.h"
#include "policies/papers/fair/order.h"

namespace lips::fair {

// The active parts of the modified fair scheduler, and their inputs.
struct Mechanisms {
  bool resource_order = false;
  bool moving_priority = false;
  bool adaptive_delays = false;
  const ShareMemory* small_pool = nullptr;  // none: small jobs stay in their pools
  const ShareMemory* shares = nullptr;      // none: pools are bounded by their maximum only
  Delays delays;
  ModifiedFairSettings readings;
};

inline bool is_small(const Job& job, const ShareMemory& shares) {
  return shares.small_pool && job.map_tasks <= shares.least_job;
}

// Running and waiting slots of each pool in a stage (a slot is a core); the small jobs' pool is last.
std::vector<PoolLoad> pool_loads(const Draft& draft, const StageSlots& slots, TaskKind stage,
                                 const ShareMemory* small_pool);

class FairRound {
 public:
  // `stage`: the tasks to hand out; map and reduce are the same where slots take either.
  FairRound(Draft& draft, StageSlots& slots, TaskKind stage, const Mechanisms& mechanisms, const PolicyInput& input,
            Duration heartbeat);

  void answer(NodeId node);
  bool refused() const { return refused_; }
  bool reached_limit() const { return reached_limit_; }

 private:
  struct PoolQueue {
    PoolLoad load;
    double limit = 0;  // slots; 0: none
    bool fifo = false;
    bool closed = false;  // on this heartbeat
    std::set<JobKey> jobs;
  };
  enum class Outcome : std::uint8_t { launched, refused, nothing };

  void fill();
  bool of_this_stage(const Job& job) const { return !slots_.separate() || stage_of(job) == stage_; }
  std::size_t pool_of(const Job& job) const;
  JobKey key(const PoolQueue& pool, JobId id) const;
  PoolQueue* next_pool();
  Outcome offer(JobId id, NodeId node);
  bool within_maximum(const Job& job) const;
  JobMemory settled(JobId id) const;
  void start(TaskId task, NodeId node);
  void launch(TaskId task, NodeId node, Locality locality);

  Draft& draft_;
  const ClusterSnapshot& cluster_;
  StageSlots& slots_;
  TaskKind stage_;
  Mechanisms on_;
  std::uint64_t seed_;
  Duration counted_;  // of a refusal: until the next heartbeat of any node with room
  bool filled_ = false, refused_ = false, reached_limit_ = false;
  std::vector<PoolQueue> pools_;
  IdVector<PoolId, double> used_;  // slots of each configured pool, also by its small jobs
};

}  // namespace lips::fair
