// Hadoop 0.20's JobQueueTaskScheduler. Its map and reduce slots are one kind of slot here: a reduce takes its turn in
// the order of jobs, at most one a heartbeat, so that maps of later jobs never shut out the reduces of earlier ones.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "policies/baselines.h"
#include "policies/draft.h"

namespace lips {

namespace {

constexpr double padding_share = 0.01;         // mapred.jobtracker.taskalloc.capacitypad
constexpr std::size_t least_padded_nodes = 3;  // no padding in clusters that are not larger

class Heartbeats {
 public:
  explicit Heartbeats(Draft& draft) : draft_(draft), cluster_(draft.cluster) {}

  void answer(NodeId node) {
    if (!draft_.free.has_room(node)) return;
    if (jobs_.empty()) jobs_ = jobs_by_priority(cluster_);
    reduce_given_ = false;
    while (draft_.free.has_room(node) && give(node)) {
    }
  }

 private:
  // Gives the node one task; false when it gets no more on this heartbeat.
  bool give(NodeId node) {
    for (JobId id : jobs_) {
      if (draft_.tasks.left(id) == 0) continue;
      const FreeCapacity::Kind kind = draft_.free.kind_of(cluster_.jobs[id]);
      if (!draft_.free.can_take(kind, node) || !below_load(kind, node)) continue;
      TaskId task = draft_.tasks.on_node(id, node);
      if (!task.valid()) task = draft_.tasks.near(id, node);
      if (task.valid()) {
        draft_.assign(task, node);
        return !exceeds_padding(kind, node);
      }
      task = draft_.tasks.anywhere(id);
      if (!task.valid()) task = draft_.tasks.without_input(id);
      if (task.valid()) {  // one off-switch task a heartbeat, lest nodes steal each other's local ones
        draft_.assign(task, node);
        return false;
      }
      task = reduce_given_ ? TaskId::none() : draft_.tasks.reduce(id);
      if (task.valid()) {
        draft_.assign(task, node);
        return reduce_given_ = true;
      }
    }
    return false;
  }

  std::int64_t slots(FreeCapacity::Kind kind, NodeId node) const {
    return fit_count(draft_.free.request(kind), cluster_.nodes[node].capacity);
  }

  std::int64_t cluster_slots(FreeCapacity::Kind kind) {
    if (cluster_slots_.size() <= kind) cluster_slots_.resize(kind + 1, -1);
    std::int64_t& count = cluster_slots_[kind];
    if (count < 0) {
      count = 0;
      for (NodeId node : cluster_.nodes.ids())
        if (cluster_.nodes[node].schedulable) count += slots(kind, node);
    }
    return count;
  }

  // No node gets more than its part of the load that remains, counted in tasks of this size.
  bool below_load(FreeCapacity::Kind kind, NodeId node) {
    const std::int64_t own = slots(kind, node);
    const std::int64_t running = own - fit_count(draft_.free.request(kind), draft_.free.left(node));
    const double remaining = static_cast<double>(cluster_.pending_tasks + cluster_.running.size());
    const double load = remaining / static_cast<double>(cluster_slots(kind));
    return running < own && static_cast<double>(running) < std::ceil(load * static_cast<double>(own));
  }

  // Near the cluster's capacity a heartbeat gets one map, which leaves room for tasks that fail. Counts the jobs that
  // still have pending tasks; only those with reduces ask for padding.
  bool exceeds_padding(FreeCapacity::Kind kind, NodeId node) {
    const std::int64_t own = slots(kind, node);
    const double most = static_cast<double>(own) / padding_share;
    double needed = 0;
    bool asked = false;
    for (JobId id : jobs_) {
      if (cluster_.jobs[id].reduce_tasks == 0) continue;
      asked = true;
      needed += cluster_.jobs[id].map_tasks;
      if (needed >= most) break;
    }
    const std::int64_t padding = cluster_.nodes.size() > least_padded_nodes
                                     ? std::min(own, static_cast<std::int64_t>(needed * padding_share))
                                     : 0;
    return asked && static_cast<std::int64_t>(cluster_.running.size()) + padding >= cluster_slots(kind);
  }

  Draft& draft_;
  const ClusterSnapshot& cluster_;
  std::vector<JobId> jobs_;
  std::vector<std::int64_t> cluster_slots_;  // by kind
  bool reduce_given_ = false;
};

class HadoopDefault : public Policy {
 public:
  explicit HadoopDefault(Duration heartbeat) : heartbeat_(heartbeat) {}
  Cadence cadence() const override { return {Cadence::Trigger::heartbeats, heartbeat_, Duration(0)}; }
  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    Heartbeats heartbeats(draft);
    if (input.cluster.pending_tasks > 0)
      for (NodeId node : input.reporting) heartbeats.answer(node);
    return draft.finish(DeferralReason::no_capacity);
  }

 private:
  Duration heartbeat_;
};

}  // namespace

std::unique_ptr<Policy> make_hadoop_default(const PolicySettings& settings) {
  return std::make_unique<HadoopDefault>(settings.heartbeat);
}

}  // namespace lips
