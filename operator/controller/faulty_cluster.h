// A decorator of ClusterClient that misbehaves as networks and servers do, by a seed: for tests, and for
// `lips operator --cluster simulated:SCENARIO --faults SEED`. The cluster behind it stays the truth and must never
// renew its ids: events may be late, so a new listing would meet bindings with old ids.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "base/random.h"
#include "controller/forwarding_cluster.h"

namespace lips {

// Shares are of 1.
struct Faults {
  std::uint64_t seed = 1;
  double refused = 0.05;       // prepare() says no
  double unsent = 0.05;        // bindings that never arrive; TaskLost says so later
  double unanswered = 0.05;    // bindings that are carried out, but no event says that the task has started
  double late = 0.2;           // batches of events that come late; those after them wait their turn
  double doubled = 0.05;       // events that are reported twice
  double failed_moves = 0.15;  // moves that end without a copy
  Duration longest_delay = std::chrono::seconds(8);
};

class FaultyCluster : public ForwardingCluster {
 public:
  FaultyCluster(ClusterClient& cluster, const Faults& faults)
      : ForwardingCluster(cluster), faults_(faults), random_(faults.seed) {}

  Result<std::vector<ClusterEvent>> wait(TimePoint until) override;
  Result<PreparedBinding> prepare(const Assignment& assignment) override;
  void bind(const PreparedBinding& binding) override;
  void start_move(MoveId id, const DataMove& move) override;

  std::uint64_t injected() const { return injected_; }

 private:
  struct Batch {
    std::vector<ClusterEvent> events;
    TaskId unsent;  // the batch only reports that this task's binding never arrived; none: it is the cluster's own
  };
  bool strikes(double share);
  Duration delay();
  void hold(std::vector<ClusterEvent> events);
  std::vector<ClusterEvent> take_due(TimePoint until);

  const Faults faults_;
  Random random_;
  std::multimap<TimePoint, Batch> held_;  // by the time of their report, then in order
  TimePoint last_due_{};                  // of the cluster's own batches
  std::set<TaskId> unanswered_;
  std::map<TaskId, NodeId> unsent_;            // TaskLost is on its way
  std::map<NodeId, std::size_t> losses_held_;  // NodeLost is on its way
  std::uint64_t injected_ = 0;
};

}  // namespace lips
