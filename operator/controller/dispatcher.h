// Carries out plans: binds tasks that fit now, in plan order, and continues as capacity becomes free, until the next
// plan replaces the queue. A task whose replica is still on its way waits for it; one that its node no longer takes is
// left to the next plan. Knows no policy.
#pragma once

#include <deque>
#include <vector>

#include "controller/cluster_client.h"
#include "controller/observer.h"
#include "model/cluster_state.h"
#include "model/plan.h"

namespace lips {

class Dispatcher {
 public:
  Dispatcher(ClusterState& state, ClusterClient& client) : state_(state), client_(client) {}

  // Starts the plan's moves, drops, reclaims and memories at once; its assignments replace the queue.
  void accept(const Plan& plan);
  // Binds every queued task that fits. Call it after accept, and when replicas have arrived.
  void dispatch_all(std::vector<Observer*>& observers);
  // Drops the queue: after a full resync its ids are no longer valid.
  void forget();
  void dispatch_on(NodeId node, std::vector<Observer*>& observers);
  std::size_t queued() const { return queued_; }

 private:
  bool ready(const Assignment& assignment) const;
  void bind(const Assignment& assignment, std::vector<Observer*>& observers);

  ClusterState& state_;
  ClusterClient& client_;
  IdVector<NodeId, std::deque<Assignment>> queue_;  // per node, in plan order
  std::vector<NodeId> nodes_;                       // with a queue, in plan order of their first task
  std::size_t queued_ = 0;
  std::uint32_t next_move_ = 0;
};

}  // namespace lips
