// The port: all of the world that the controller sees. KubernetesCluster and SimulatedCluster stand behind it, and
// decorators that inject faults into either.
#pragma once

#include <vector>

#include "base/result.h"
#include "model/cluster_event.h"
#include "model/snapshot.h"

namespace lips {

class ClusterClient {
 public:
  virtual ~ClusterClient() = default;

  virtual TimePoint now() const = 0;
  // What changed, in the order it happened; returns at the first change (all changes of one instant together), at the
  // latest at `until`. `cancelled` when the cluster has nothing more to say (a simulation's end) or the program is to
  // stop.
  virtual Result<std::vector<ClusterEvent>> wait(TimePoint until) = 0;

  // Asked right before bind(). False: it cannot be bound at this moment; events say what becomes of the task.
  virtual bool may_bind(const Assignment& /*assignment*/) { return true; }

  // Actions. Their outcomes come back as events: TaskStarted or TaskLost, MoveEnded with ReplicaAdded before it,
  // ReplicaRemoved.
  virtual void bind(const Assignment& assignment) = 0;
  virtual void start_move(MoveId id, const DataMove& move) = 0;
  virtual void drop(const ReplicaDrop& drop) = 0;
  virtual void remember(const Remembered& remembered) = 0;
};

}  // namespace lips
