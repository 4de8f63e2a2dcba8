// The port: all of the world that the controller sees. KubernetesCluster and SimulatedCluster stand behind it, and
// decorators around either: FaultyCluster injects faults.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/cluster_event.h"
#include "model/snapshot.h"

namespace lips {

// All that a binding needs to be sent.
struct PreparedBinding {
  Assignment assignment;
  std::string input = {};  // what the task is told of where to read; empty: an adapter or task that needs nothing
};

class ClusterClient {
 public:
  virtual ~ClusterClient() = default;

  virtual TimePoint now() const = 0;
  // What changed, in the order it happened; returns at the first change (all changes of one instant together), at the
  // latest at `until`. `cancelled` when the cluster has nothing more to say (a simulation's end) or the program is to
  // stop.
  virtual Result<std::vector<ClusterEvent>> wait(TimePoint until) = 0;

  // Binding takes three steps: prepare() asks whether the cluster as it is now would take the task there, the caller
  // takes the room in its state, and bind() sends. Nothing is sent by prepare(). An error: not now; the task stays
  // pending unless an event says something else.
  virtual Result<PreparedBinding> prepare(const Assignment& assignment) = 0;

  // Actions. Their outcomes come back as events: TaskStarted or TaskLost, MoveEnded with ReplicaAdded before it,
  // ReplicaRemoved.
  virtual void bind(const PreparedBinding& binding) = 0;
  virtual void start_move(MoveId id, const DataMove& move) = 0;
  virtual void drop(const ReplicaDrop& drop) = 0;
  virtual void remember(const Remembered& remembered) = 0;
  virtual void remember_shares(const ShareMemory& shares) = 0;
};

}  // namespace lips
