// The JobQueueTaskScheduler of Hadoop 0.20 to 1.2.1. Where map and reduce slots are one kind of slot (reduce_slots 0),
// reduces take their turn in the order of jobs, at most one per heartbeat, so maps of later jobs cannot starve the
// reduces of earlier ones.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "policies/baselines/baselines.h"
#include "policies/drafting/draft.h"
#include "policies/drafting/stage_slots.h"

namespace lips {

namespace {

constexpr double padding_share = 0.01;         // mapred.jobtracker.taskalloc.capacitypad
constexpr std::size_t least_padded_nodes = 3;  // no padding in clusters of this size or smaller

class Offers {
 public:
  Offers(Draft& draft, double reduce_slots) : draft_(draft), cluster_(draft.cluster), slots_(draft, reduce_slots) {}

  void answer(NodeId node) {
    if (!draft_.free.has_room(node)) return;
    if (jobs_.empty()) jobs_ = jobs_by_priority(cluster_);
    reduce_given_ = false;
    while (draft_.free.has_room(node) && give(node, TaskKind::map)) {
    }
    if (slots_.separate() && draft_.free.has_room(node)) give(node, TaskKind::reduce);
  }

 private:
  // Gives the node one task, a map or a reduce where slots take either; false when this heartbeat gives it no more.
  bool give(NodeId node, TaskKind stage) {
    for (JobId id : jobs_) {
      if (draft_.tasks.left(id) == 0) continue;
      const Job& job = cluster_.jobs[id];
      const FreeCapacity::Kind kind = draft_.free.kind_of(job);
      if (slots_.separate() && fair::stage_of(job) != stage) continue;
      if (!slots_.has_slot(fair::stage_of(job), kind, node)) continue;
      TaskId task = draft_.tasks.on_node(id, node);
      if (!task.valid()) task = draft_.tasks.near(id, node);
      if (task.valid()) {
        start(task, node);
        return !exceeds_padding(kind, node);
      }
      task = draft_.tasks.anywhere(id);
      if (!task.valid()) task = draft_.tasks.without_input(id);
      if (task.valid()) {  // one off-switch task a heartbeat: more would take tasks local elsewhere
        start(task, node);
        return false;
      }
      task = reduce_given_ ? TaskId::none() : draft_.tasks.reduce(id);
      if (task.valid()) {
        start(task, node);
        return reduce_given_ = true;
      }
    }
    return false;
  }

  void start(TaskId task, NodeId node) {
    slots_.take(cluster_.tasks[task].kind, node);
    draft_.assign(task, node);
  }

  // Near the cluster's capacity a heartbeat gets one map, which leaves room for tasks that fail. Counts jobs that
  // still have pending tasks; only jobs with reduces need padding.
  bool exceeds_padding(FreeCapacity::Kind kind, NodeId node) {
    const std::int64_t own = slots_.slots(TaskKind::map, kind, node);
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
    return asked && slots_.running(TaskKind::map) + padding >= slots_.all_slots(TaskKind::map, kind);
  }

  Draft& draft_;
  const ClusterSnapshot& cluster_;
  fair::StageSlots slots_;
  std::vector<JobId> jobs_;
  bool reduce_given_ = false;
};

class HadoopDefault : public Policy {
 public:
  HadoopDefault(Duration heartbeat, double reduce_slots) : heartbeat_(heartbeat), reduce_slots_(reduce_slots) {}
  Cadence cadence() const override { return {Cadence::Trigger::heartbeats, heartbeat_, Duration(0)}; }
  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    Offers heartbeats(draft, reduce_slots_);
    if (input.cluster.pending_tasks > 0)
      for (NodeId node : input.reporting) heartbeats.answer(node);
    return draft.finish(DeferralReason::no_capacity);
  }

 private:
  Duration heartbeat_;
  double reduce_slots_;
};

}  // namespace

std::unique_ptr<Policy> make_hadoop_default(const PolicySettings& settings) {
  return std::make_unique<HadoopDefault>(settings.heartbeat, settings.reduce_slots);
}

}  // namespace lips
