// A cluster that says what a test wants it to say, and a policy that plans what a test wants.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "controller/cluster_client.h"
#include "model/cluster_state.h"
#include "policies/policy.h"

namespace lips::fake {

inline TimePoint at(double count) { return TimePoint(seconds(count)); }

// Two nodes of two cores, each with a directory; block 0 is on node 0.
inline ClusterSnapshot two_nodes() {
  ClusterSnapshot cluster;
  cluster.zones.push_back({"zone"});
  cluster.profiles.push_back({});
  cluster.pools.push_back({});
  for (std::uint32_t i = 0; i < 2; ++i) {
    Node node;
    node.zone = ZoneId(0);
    node.profile = ProfileId(0);
    node.capacity = {Cores(2), Mebibytes(0), 2};
    node.price = UsdPerHour(1);
    cluster.nodes.push_back(node);
    DataStore store;
    store.zone = ZoneId(0);
    store.node = NodeId(i);
    cluster.stores.push_back(store);
  }
  DataSet data;
  data.blocks = 1;
  data.first_block = BlockId(0);
  cluster.data_sets.push_back(data);
  cluster.blocks.push_back({DataSetId(0), Mebibytes(64), {}, {Replica{StoreId(0)}}});
  return cluster;
}

// One-core tasks; the first reads block 0 when `reads`.
inline JobArrived job(std::uint32_t tasks, bool reads = false) {
  JobArrived arrived;
  arrived.job.pool = PoolId(0);
  arrived.job.request = {Cores(1), Mebibytes(0), 1};
  arrived.job.map_tasks = tasks;
  arrived.tasks.assign(tasks, Task{});
  for (Task& task : arrived.tasks) task.cpu = CpuSeconds(10);
  if (reads) arrived.tasks[0].block = BlockId(0);
  return arrived;
}

class Cluster : public ClusterClient {
 public:
  TimePoint now() const override { return now_; }
  Result<std::vector<ClusterEvent>> wait(TimePoint until) override {
    if (script.empty()) return fail(ErrorCode::cancelled, "end of script");
    if (script.front().first > until) {
      now_ = std::max(now_, until);
      return std::vector<ClusterEvent>{};
    }
    now_ = std::max(now_, script.front().first);
    std::vector<ClusterEvent> events = std::move(script.front().second);
    script.pop_front();
    return events;
  }
  Result<PreparedBinding> prepare(const Assignment& assignment) override {
    if (refuses && refuses(assignment)) return fail(ErrorCode::conflict, "refused by the test");
    return PreparedBinding{assignment, "prepared"};
  }
  void bind(const PreparedBinding& binding) override {
    if (on_bind) on_bind(binding);
    bound.push_back(binding.assignment);
  }
  void request_nodes(const std::optional<std::vector<NodeRequest>>& requests) override { node_requests = requests; }
  void start_move(MoveId id, const DataMove& move) override { moves.emplace_back(id, move); }
  void drop(const ReplicaDrop& drop) override { drops.push_back(drop); }
  void reclaim(const Reclaim& reclaim) override { reclaims.push_back(reclaim); }
  void remember(const Remembered& remembered) override { memories.push_back(remembered); }
  void remember_shares(const ShareMemory& remembered) override { shares.push_back(remembered); }
  void remember_targets(const std::vector<TargetDebt>& remembered) override { debts = remembered; }

  void say(double when, std::vector<ClusterEvent> events) { script.emplace_back(at(when), std::move(events)); }

  std::function<bool(const Assignment&)> refuses;       // what prepare() says no to
  std::function<void(const PreparedBinding&)> on_bind;  // looks at the world at the moment of sending
  std::deque<std::pair<TimePoint, std::vector<ClusterEvent>>> script;
  std::vector<Assignment> bound;
  std::vector<std::pair<MoveId, DataMove>> moves;
  std::vector<ReplicaDrop> drops;
  std::vector<Reclaim> reclaims;
  std::optional<std::vector<NodeRequest>> node_requests;
  std::vector<Remembered> memories;
  std::vector<ShareMemory> shares;
  std::vector<TargetDebt> debts;

 private:
  TimePoint now_{};
};

class ScriptedPolicy : public Policy {
 public:
  using Decide = std::function<Result<Plan>(const PolicyInput&)>;
  explicit ScriptedPolicy(
      Cadence cadence, Decide decide = [](const PolicyInput&) { return Plan{}; })
      : cadence_(cadence), decide_(std::move(decide)) {}
  Cadence cadence() const override { return cadence_; }
  Result<Plan> decide(const PolicyInput& input) const override {
    asked.push_back(input.cluster.now);
    reported.emplace_back(input.reporting.begin(), input.reporting.end());
    return decide_(input);
  }
  mutable std::vector<TimePoint> asked;
  mutable std::vector<std::vector<NodeId>> reported;

 private:
  Cadence cadence_;
  Decide decide_;
};

}  // namespace lips::fake
