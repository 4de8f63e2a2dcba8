// The port: the controller's only view of the world. KubernetesCluster and SimulatedCluster implement it, and
// decorators may wrap either: FaultyCluster injects faults.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/cluster_event.h"
#include "model/snapshot.h"

namespace lips {

// Everything needed to send a binding.
struct PreparedBinding {
  Assignment assignment;
  std::string input = {};  // tells the task where to read; empty: the adapter or the task needs nothing
};

class ClusterClient {
 public:
  virtual ~ClusterClient() = default;

  virtual TimePoint now() const = 0;
  // The changes in the order in which they happened. Returns at the first change (with all changes of that instant), at
  // the latest at `until`. `cancelled` when there will be no more changes (the end of a simulation) or the program has
  // to stop.
  virtual Result<std::vector<ClusterEvent>> wait(TimePoint until) = 0;

  // Binding takes three steps: prepare() checks whether the node would take the task now, the caller reserves the room
  // in its state, and bind() sends the request. prepare() sends nothing. An error means "not now": the task stays
  // pending unless an event says otherwise.
  virtual Result<PreparedBinding> prepare(const Assignment& assignment) = 0;

  // Actions. Their outcomes come back as events: TaskStarted or TaskLost, MoveEnded with ReplicaAdded before it,
  // ReplicaRemoved.
  virtual void bind(const PreparedBinding& binding) = 0;
  // Replaces earlier requests. Absent: every task that finds no room requests any node.
  virtual void request_nodes(const std::optional<std::vector<NodeRequest>>& requests) = 0;
  // A plan was made, and what of it can start now is sent: for words about why the others wait.
  virtual void note_plan(const Plan&, const ClusterSnapshot&) {}
  virtual void start_move(MoveId id, const DataMove& move) = 0;
  virtual void drop(const ReplicaDrop& drop) = 0;
  // Ends the task's run, with the time that it has for an orderly end; as for any task whose run is lost, TaskLost or
  // TaskWithdrawn follows. TaskStays: it could not be taken back.
  virtual void reclaim(const Reclaim& reclaim) = 0;
  virtual void remember(const Remembered& remembered) = 0;
  virtual void remember_shares(const ShareMemory& shares) = 0;
  virtual void remember_targets(const std::vector<TargetDebt>& debts) = 0;
};

}  // namespace lips
