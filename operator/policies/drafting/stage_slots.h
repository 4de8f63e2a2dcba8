// Hadoop's map and reduce slots: limits on both per node, and on its share of the load. Where slots take either, both
// count as one kind. Lives for one decision.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/drafting/draft.h"

namespace lips::fair {

// Maps and reduces of a job never run at the same time.
inline TaskKind stage_of(const Job& job) {
  return job.finished_maps < job.map_tasks ? TaskKind::map : TaskKind::reduce;
}

// The load to spread: all running and waiting tasks, or at most the maximum of each pool (PoolSchedulable of Hadoop
// 1.2.1's fair scheduler).
enum class LoadCounts : std::uint8_t { all, within_maxima };

class StageSlots {
 public:
  // `reduce_slots` of each node with more slots than that are for reduces; 0: slots take either.
  StageSlots(Draft& draft, double reduce_slots, LoadCounts counts = LoadCounts::all);

  bool separate() const { return reduce_slots_ > 0; }
  // The node can start one more task of a job of this stage (CapBasedLoadManager of Hadoop 1.2.1: light load spreads).
  bool has_slot(TaskKind stage, FreeCapacity::Kind kind, NodeId node);
  void take(TaskKind stage, NodeId node);
  // Tasks of the kind that the node holds in that stage.
  std::int64_t slots(TaskKind stage, FreeCapacity::Kind kind, NodeId node) const;
  std::int64_t all_slots(TaskKind stage, FreeCapacity::Kind kind);
  std::int64_t running(TaskKind stage, FreeCapacity::Kind kind, NodeId node) const;
  std::int64_t running(TaskKind stage) const { return running_[row(stage)]; }
  // Over all nodes that take tasks, in slots of a core: those of the stage, and those of them that are free.
  double cores(TaskKind stage) const;
  double free_cores(TaskKind stage) const;

 private:
  std::size_t row(TaskKind stage) const { return separate() && stage == TaskKind::reduce ? 1 : 0; }

  Draft& draft_;
  std::int64_t reduce_slots_;
  IdVector<NodeId, std::int64_t> on_node_[2];  // tasks that run, by stage; filled when stages are separate
  std::int64_t running_[2] = {0, 0};
  double runnable_[2] = {0, 0};             // pending and running tasks, by stage
  std::vector<std::int64_t> all_slots_[2];  // [kind], -1: not counted yet
};

}  // namespace lips::fair
