// The cluster at one moment, as policies see it. A value that can be copied and kept; only ClusterState changes one.
#pragma once

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "base/ids.h"
#include "model/arrivals.h"
#include "model/costs.h"
#include "model/data.h"
#include "model/expected_work.h"
#include "model/network.h"
#include "model/nodes.h"
#include "model/offers.h"
#include "model/plan.h"
#include "model/work.h"

namespace lips {

struct RunningTask {
  TaskId task;
  JobId job;  // the task's: plans look at all running tasks, and rarely at more of them than their jobs
  NodeId node;
  TimePoint expected_end{};
  // It was taken back for this pool and is about to end, in its own for a higher priority; none: it stays.
  PoolId reclaimed_for = {};
  TimePoint stays_until{};   // it could not be taken back, and is not asked again before
  TimePoint marked_until{};  // autoscalers do not evict it before (marks.h); the beginning of time: it is not marked
  static constexpr auto fields =
      field_names("task", "job", "node", "expectedEnd", "reclaimedFor", "staysUntil", "markedUntil");
  bool leaves() const { return reclaimed_for.valid(); }
  bool is_marked() const { return marked_until != TimePoint{}; }
};

// The tasks of a job with a replica of their input on a node's own store. May still name tasks that are no longer
// pending.
struct JobLocality {
  std::vector<std::pair<NodeId, TaskId>> at_arrival;      // sorted by node, then task
  std::unordered_map<NodeId, std::vector<TaskId>> since;  // replicas that came later
  static constexpr auto fields = field_names("atArrival", "since");
  // Calls visit(task) for each task until one returns false; returns whether none did.
  template <class Visit>
  bool visit(NodeId node, Visit visit) const {
    auto entry = std::lower_bound(at_arrival.begin(), at_arrival.end(), std::pair(node, TaskId(0)));
    for (; entry != at_arrival.end() && entry->first == node; ++entry)
      if (!visit(entry->second)) return false;
    const auto later = since.find(node);
    if (later != since.end())
      for (TaskId task : later->second)
        if (!visit(task)) return false;
    return true;
  }
};

struct MoveInFlight {
  MoveId id;
  BlockId block;
  StoreId from, to;
  static constexpr auto fields = field_names("id", "block", "from", "to");
};

struct ClusterSnapshot {
  TimePoint now{};
  IdVector<ZoneId, Zone> zones;
  IdVector<RackId, Rack> racks;
  IdVector<NodeId, Node> nodes;
  IdVector<OfferId, Offer> offers;                   // of nodes that do not exist yet
  LaunchLimits launch_limits;                        // that offers share
  IdVector<ResourceId, std::string> extended_names;  // of Resources::extended
  IdVector<NodeId, Resources> free;                  // what others and bound or running tasks leave of each node
  IdVector<ProfileId, NodeProfile> profiles;
  IdVector<ConstraintId, PlacementConstraint> constraints;
  IdVector<StoreId, DataStore> stores;
  IdVector<NodeId, StoreId> node_store;  // a node's own directory, or none
  IdVector<DataSetId, DataSet> data_sets;
  IdVector<BlockId, Block> blocks;
  Network network;
  IdVector<PoolId, Pool> pools;
  IdVector<PoolId, Cores> pool_cores;  // in use
  IdVector<JobId, Job> jobs;
  IdVector<TaskId, Task> tasks;
  IdVector<JobId, JobLocality> locality;           // of jobs with pending tasks
  IdVector<JobId, std::vector<TaskGroup>> groups;  // the pending tasks of each job; a group may have become empty
  std::vector<JobId> pending;                      // jobs with pending tasks, by arrival, then id
  std::vector<JobId> held;                         // jobs whose inputs do not exist yet, by id
  std::vector<RunningTask> running;                // bound ones too; in no promised order
  std::vector<MoveInFlight> moves;
  std::vector<std::pair<BlockId, StoreId>> extra_copies;  // made by us, oldest first; may name some that are gone
  TimePoint copies_reviewed{};                            // when idle ones were last looked for
  std::uint64_t pending_tasks = 0;
  // When a degraded task was last bound to a node of the rack, or of the zone for nodes without a rack. May be shorter
  // than the tables.
  IdVector<RackId, std::optional<TimePoint>> rack_degraded;
  IdVector<ZoneId, std::optional<TimePoint>> zone_degraded;
  std::optional<ShareMemory> shares;
  ArrivalMemory arrivals;
  std::vector<TargetDebt> target_debts;
  std::vector<ExpectedWork> expected;  // sorted (sort_expected)
  static constexpr auto fields =
      field_names("now", "zones", "racks", "nodes", "offers", "launchLimits", "extendedNames", "free", "profiles",
                  "constraints", "stores", "nodeStore", "dataSets", "blocks", "network", "pools", "poolCores", "jobs",
                  "tasks", "locality", "groups", "pending", "held", "running", "moves", "extraCopies", "copiesReviewed",
                  "pendingTasks", "rackDegraded", "zoneDegraded", "shares", "arrivals", "targetDebts", "expected");

  bool eligible(ConstraintId constraint, NodeId node) const;

  // for (TaskId task : snapshot.tasks_of(group)): in order of id, then those that came back or changed group
  struct GroupTasks {
    const IdVector<TaskId, Task>* tasks;
    TaskId first;
    struct Iterator {
      const IdVector<TaskId, Task>* tasks;
      TaskId task;
      TaskId operator*() const { return task; }
      Iterator& operator++() { return task = (*tasks)[task].next_pending, *this; }
      bool operator==(const Iterator& other) const { return task == other.task; }
    };
    Iterator begin() const { return {tasks, first}; }
    Iterator end() const { return {tasks, TaskId::none()}; }
  };
  GroupTasks tasks_of(const TaskGroup& group) const { return {&tasks, group.first}; }
};

// The best replica of a block for a node, and how near it is: the nearest, then the cheapest, then the lowest id.
struct NearestReplica {
  Locality locality = Locality::none;
  StoreId store;
};
NearestReplica nearest_replica(const ClusterSnapshot& cluster, const CostModel& costs, BlockId block, NodeId node);
// The kind of each zone: one with nodes and zonal stores, or that of the one store with a zone of its own.
IdVector<ZoneId, EndKind> zone_ends(const ClusterSnapshot& cluster);
Locality locality_of(const ClusterSnapshot& cluster, StoreId store, NodeId node);

// How long the task takes on the node when it reads at that level and shares no link: its CPU time or its read,
// whichever is longer. A degraded task does one after the other.
Duration expected_duration(const ClusterSnapshot& cluster, const Task& task, NodeId node, Locality level);

}  // namespace lips
