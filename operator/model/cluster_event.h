// What changed in the cluster, as both adapters say it. Names carry ids: an adapter asks ClusterState for new ones.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "model/costs.h"
#include "model/data.h"
#include "model/nodes.h"
#include "model/plan.h"
#include "model/work.h"

namespace lips {

struct ClusterSnapshot;

// All that was said before is void: nodes, stores, data sets, pools and prices of a new beginning; jobs and what runs
// follow as events. Said at the start of a program, and whenever something came or went that no other event is made
// for.
struct ClusterListed {
  std::shared_ptr<const ClusterSnapshot> start;
  CostModel costs;
};
struct ConstraintAdded {  // with the next id
  PlacementConstraint constraint;
};
struct PoolAdded {  // with the next id
  Pool pool;
};
struct ProfileAdded {  // with the next id
  NodeProfile profile;
};
struct OffersChanged {  // of all offers: how many nodes could be launched now
  IdVector<OfferId, std::uint32_t> left;
};
struct ResourceAdded {  // with the next id: of Resources::extended
  std::string name;
};
struct NodeChanged {  // capacity, price, readiness; the node is known
  NodeId node;
  Node now;
};
struct NodeLost {  // its tasks become pending again, its own store's replicas are gone when `data_lost`
  NodeId node;
  bool data_lost = false;
};
struct NodeBack {
  NodeId node;
};
struct JobArrived {
  Job job;
  std::vector<Task> tasks;  // maps, then reduces; only block, cpu, input and kind are read
  // Of a whole job's first part: maps that had ended before, by zone.
  std::vector<std::uint32_t> maps_before = {};
};
struct JobReleased {  // a held job: its inputs exist
  JobId job;
};
struct TaskStarted {
  TaskId task;
  NodeId node;
};
struct TaskFound {  // it is on that node, whatever was assumed and whether it fits or not: the cluster is believed
  TaskId task;
  NodeId node;
  TimePoint since{};
  bool degraded = false;  // its lips.dev/input is that of a degraded task
};
struct TaskWithdrawn {  // will not run any more; was pending or not
  TaskId task;
  std::optional<Duration> ran = {};  // see TaskFinished
};
struct TaskFinished {
  TaskId task;
  NodeId node;
  std::optional<Duration> ran = {};  // how long it was on its node, as the cluster says; none: nobody says
  bool failed = false;               // it is over, and has left nothing
};
struct TaskLost {  // failed, evicted, or its binding was refused: pending again
  TaskId task;
};
struct ReplicaAdded {
  BlockId block;
  Replica replica;
};
struct ReplicaRemoved {
  BlockId block;
  StoreId store;
};
struct MoveEnded {
  MoveId move;
  bool committed = false;
};
struct Heartbeat {  // a node reports and may be given tasks (Hadoop)
  NodeId node;
};

using ClusterEvent =
    std::variant<NodeChanged, NodeLost, NodeBack, JobArrived, JobReleased, TaskStarted, TaskFound, TaskFinished,
                 TaskLost, TaskWithdrawn, ReplicaAdded, ReplicaRemoved, MoveEnded, Heartbeat, ClusterListed,
                 ConstraintAdded, PoolAdded, ProfileAdded, ResourceAdded, OffersChanged>;

}  // namespace lips
