// A decorator of the port that changes nothing: those that change something derive from it, and override only that.
#pragma once

#include <optional>
#include <vector>

#include "controller/cluster_client.h"

namespace lips {

class ForwardingCluster : public ClusterClient {
 public:
  explicit ForwardingCluster(ClusterClient& cluster) : cluster_(cluster) {}

  TimePoint now() const override { return cluster_.now(); }
  Result<std::vector<ClusterEvent>> wait(TimePoint until) override { return cluster_.wait(until); }
  Result<PreparedBinding> prepare(const Assignment& assignment) override { return cluster_.prepare(assignment); }
  void bind(const PreparedBinding& binding) override { cluster_.bind(binding); }
  void request_nodes(const std::optional<std::vector<NodeRequest>>& requests) override {
    cluster_.request_nodes(requests);
  }
  void note_plan(const Plan& plan, const ClusterSnapshot& cluster) override { cluster_.note_plan(plan, cluster); }
  void start_move(MoveId id, const DataMove& move) override { cluster_.start_move(id, move); }
  void drop(const ReplicaDrop& drop) override { cluster_.drop(drop); }
  void reclaim(const Reclaim& reclaim) override { cluster_.reclaim(reclaim); }
  void remember(const Remembered& remembered) override { cluster_.remember(remembered); }
  void remember_shares(const ShareMemory& shares) override { cluster_.remember_shares(shares); }
  void remember_targets(const std::vector<TargetDebt>& debts) override { cluster_.remember_targets(debts); }

 protected:
  ClusterClient& cluster_;
};

}  // namespace lips
