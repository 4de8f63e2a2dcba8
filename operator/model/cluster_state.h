// The only mutable truth: applies events of the cluster, assumes bindings until they are confirmed or refused, and
// never overcommits a node. Knows no adapter, policy or clock.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/cluster_event.h"
#include "model/group_index.h"
#include "model/snapshot.h"
#include "model/unpaid_room.h"
#include "model/whole_jobs.h"

namespace lips {

class ClusterState {
 public:
  // `start` has nodes, stores, data sets and pools; jobs come as events. Computes the derived parts (free, zones of
  // blocks).
  explicit ClusterState(ClusterSnapshot start);

  // Jobs and tasks get their ids in the order of JobArrived events.
  void apply(const ClusterEvent& event);
  void advance(TimePoint now) {
    unpaid_.pass(snapshot_, now);
    snapshot_.now = now;
  }
  // The plan that was just made keeps this room empty, and leaves the other to expected work, until the next one is
  // made.
  void keep(const std::vector<HeldRoom>& held, const std::vector<KeptRoom>& left = {}) {
    unpaid_.keep(snapshot_, held, left);
  }
  // Takes room for the task. Returns false and changes nothing when the task is not pending or the node does not take
  // it (any more): cordoned, not eligible, too little room.
  bool assume(const Assignment& assignment);
  void remember(const Remembered& remembered);
  void remember(const ShareMemory& shares) { snapshot_.shares = shares; }
  void remember(const std::vector<TargetDebt>& debts) { snapshot_.target_debts = debts; }
  void price_waiting(const IdVector<PoolId, double>& factors) {
    for (const PoolId pool : snapshot_.pools.ids()) snapshot_.pools[pool].waiting_factor = factors[pool];
  }
  void begin_move(const MoveInFlight& move);
  // The task is about to end. Returns false and changes nothing when it does not run, or is about to end anyway.
  bool begin_reclaim(const Reclaim& reclaim);

  void note_copies_reviewed() { snapshot_.copies_reviewed = snapshot_.now; }

  const ClusterSnapshot& snapshot() const { return snapshot_; }
  ClusterSnapshot take() && { return std::move(snapshot_); }

 private:
  void list(const ClusterListed& listed);
  void add_job(const JobArrived& arrived);
  bool is_counted(const Job& job) const;
  void release_job(JobId id);
  void release_maps(JobId id);
  void find(const TaskFound& found);
  void occupy(TaskId task, NodeId node, Locality level, TimePoint since);
  void withdraw(TaskId id);
  void complete_if_finished(JobId id);
  void finish(const TaskFinished& finished);
  void requeue(TaskId id);
  void lose_node(const NodeLost& event);
  void change_node(const NodeChanged& changed);
  void mark(const TasksMarked& marked);
  void learn(TaskId task, CpuSeconds work);
  void note_degraded(TaskId id, NodeId node, TimePoint when);
  void regroup_stripe(BlockId block);
  void release(TaskId id);
  void release_reduces(JobId id);
  void block_reduces(JobId id);
  void end_map(JobId id, ZoneId where);
  void miss_maps(const MapsMissing& event);
  void make_pending(TaskId id);
  void unlink(TaskId id);
  void regroup_readers(BlockId block);
  void end_move(MoveId id);
  void expect_copies(BlockId block, ZoneSet coming);
  void add_replica(BlockId id, const Replica& added);
  void mark_extra(BlockId id, const Replica& replica, bool extra);
  void remove_replica(BlockId id, StoreId store);
  void remove_replicas(const ReplicaRemoved& removed);
  std::uint32_t group_of(const Task& task);
  void update_active(JobId job);
  std::vector<JobId>::iterator active_position(JobId job);

  ClusterSnapshot snapshot_;
  WholeJobs wholes_;
  UnpaidRoom unpaid_;
  GroupIndex group_index_;
  IdVector<TaskId, std::uint32_t> running_index_;   // place of a bound or running task in snapshot_.running
  IdVector<BlockId, std::vector<TaskId>> readers_;  // tasks that may still read it
  // Jobs that are in snapshot_.arrivals: those that arrived by then, and by name those before the last listing, with
  // when the last part of each arrived.
  TimePoint arrivals_counted_ = TimePoint::min();
  std::map<std::string, TimePoint> counted_jobs_;
  TimePoint listed_ = TimePoint::min();
};

// Computes the derived parts of a snapshot: free, node_store, zones of blocks, sizes of data sets, full-packing prices.
void derive(ClusterSnapshot& snapshot);

}  // namespace lips
