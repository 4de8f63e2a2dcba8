// The pending tasks that a decision has not assigned yet, found by group or by the node that holds their input. The
// effort grows with the tasks taken, not with the pending ones.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/snapshot.h"

namespace lips {

// False while no replica of the block is left, even if it could be decoded.
inline bool can_run(const TaskGroup& group) { return !group.reads || !group.zones.empty(); }

class Unassigned {
 public:
  explicit Unassigned(const ClusterSnapshot& cluster) : cluster_(cluster) {}

  std::uint32_t left(JobId job) const;
  std::uint32_t left(JobId job, std::uint32_t group) const;
  // The group's first task in pending order; none when all are taken.
  TaskId first(JobId job, std::uint32_t group);
  // A task whose input is in the node's own store; none when there is none.
  TaskId on_node(JobId job, NodeId node);
  // A task whose input is on another node of the node's rack, or somewhere in its zone when it has no rack.
  TaskId near(JobId job, NodeId node);
  // A map task that reads a block from anywhere.
  TaskId remote(JobId job);
  // The same, or else one that has to decode its block; a task without input; a reduce task.
  TaskId anywhere(JobId job);
  TaskId without_input(JobId job);
  TaskId reduce(JobId job);
  // A map task whose block is lost and can be decoded.
  TaskId degraded(JobId job);

  bool taken(TaskId task) const { return taken_.contains(task); }
  void take(TaskId task);

 private:
  struct GroupCursor {
    TaskId next;  // every task before it is taken
    std::uint32_t taken = 0;
  };
  struct JobCursor {
    std::uint32_t taken = 0;
    std::vector<GroupCursor> groups;
  };
  JobCursor& cursor(JobId job);
  template <class Wanted>
  TaskId first_of_groups(JobId job, Wanted wanted);
  TaskId search_groups(JobId job, NodeId node);
  TaskId on_rack(JobId job, NodeId node);
  TaskId in_zone(JobId job, ZoneId zone);

  const ClusterSnapshot& cluster_;
  std::unordered_map<JobId, JobCursor> cursors_;  // looked up only
  std::unordered_set<TaskId> taken_;              // looked up only
  RackId listed_rack_;
  std::vector<NodeId> rack_nodes_;
};

}  // namespace lips
