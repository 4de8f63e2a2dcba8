// Changes in the cluster, as both adapters report them. Things are named by id: an adapter asks ClusterState for new
// ones.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "model/costs.h"
#include "model/data.h"
#include "model/expected_work.h"
#include "model/nodes.h"
#include "model/plan.h"
#include "model/work.h"

namespace lips {

struct ClusterSnapshot;

// A resync: everything reported before is void. Holds nodes, stores, data sets, pools and prices; jobs and running
// tasks follow as events. Sent when the program starts, and when something came or went for which there is no other
// event.
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
struct OffersChanged {  // what could be launched now
  IdVector<OfferId, std::uint32_t> left;
  LaunchLimits limits;
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
  // For the first part of a whole job: maps that had ended before, by zone.
  std::vector<std::uint32_t> maps_before = {};
};
struct NoMorePeers {  // of a job of peers: whoever creates them has ended. Those that arrive nevertheless count as ever
  WholeJobId job;
};
// Maps of a whole job that have not arrived, or have been withdrawn and run nevertheless: its reduces wait until none
// is missing any more.
struct MapsMissing {
  WholeJobId job;
  std::uint32_t maps = 0;
};
struct WorkExpected {  // all of it, instead of what was expected before
  std::vector<ExpectedWork> work;
};
struct JobReleased {  // a held job: its inputs exist
  JobId job;
};
struct WorkLearned {  // these tasks need other work than was said; those that have ended stay as they were
  std::vector<std::pair<TaskId, CpuSeconds>> tasks;
};
struct TaskStarted {
  TaskId task;
  NodeId node;
};
struct TaskFound {  // it is on that node, whatever was assumed and whether or not it fits: the cluster is right
  TaskId task;
  NodeId node;
  TimePoint since{};
  bool degraded = false;   // its lips.dev/input is that of a degraded task
  PoolId leaves_for = {};  // it has been asked to end, for a task of this pool
};
struct TaskWithdrawn {  // will not run any more, pending or not
  TaskId task;
  std::optional<Duration> ran = {};  // see TaskFinished
};
struct TaskFinished {
  TaskId task;
  NodeId node;
  std::optional<Duration> ran = {};  // time on its node, as the cluster reports it; none: unknown
  bool failed = false;               // it ended and left no output
};
struct TaskLost {  // failed, evicted, or its binding was refused: pending again
  TaskId task;
};
struct TaskStays {  // it could not be taken back, and is not to be asked for again before that time
  TaskId task;
  TimePoint until{};
};
struct ReplicaAdded {
  BlockId block;
  Replica replica;
  std::uint32_t blocks = 1;  // from that one on
};
struct ReplicaRemoved {
  BlockId block;
  StoreId store;
  std::uint32_t blocks = 1;  // from that one on
};
struct MoveEnded {
  MoveId move;
  bool committed = false;
};
struct Heartbeat {  // a node reports and may be given tasks (Hadoop)
  NodeId node;
};

// All tasks that autoscalers do not evict, with the ends of their marks, instead of those before.
struct TasksMarked {
  std::vector<std::pair<TaskId, TimePoint>> tasks;
};

using ClusterEvent =
    std::variant<NodeChanged, NodeLost, NodeBack, JobArrived, JobReleased, TaskStarted, TaskFound, TaskFinished,
                 TaskLost, TaskWithdrawn, ReplicaAdded, ReplicaRemoved, MoveEnded, Heartbeat, ClusterListed,
                 ConstraintAdded, PoolAdded, ProfileAdded, ResourceAdded, OffersChanged, WorkExpected, NoMorePeers,
                 MapsMissing, TaskStays, TasksMarked, WorkLearned>;

}  // namespace lips
