// Runs a scenario and checks at every event what must hold in every run, whatever the policy does.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "controller/epoch_controller.h"
#include "controller/faulty_cluster.h"
#include "model/cluster_state.h"
#include "simulation/simulated_cluster.h"
#include "simulation/thinking_policy.h"

namespace lips::simulation {

// Checks at every event that no node is over its capacity and that no task runs twice or before its time.
class Auditor : public RunListener {
 public:
  explicit Auditor(const Scenario& scenario) : scenario_(scenario) {
    for (const Node& node : scenario.cluster.nodes) free_.push_back(node.capacity);
  }
  void on_job(JobId job, TimePoint now) override {
    EXPECT_GE(now, scenario_.jobs[job.index()].job.arrival);
    first_.push_back(static_cast<std::uint32_t>(total_));
    total_ += scenario_.jobs[job.index()].tasks.size();
  }
  void on_start(TaskId task, JobId job, NodeId node, TimePoint) override {
    free_[node] = free_[node] - scenario_.jobs[job.index()].job.request;
    EXPECT_GE(free_[node].cpu.value(), -1e-6);
    EXPECT_GE(free_[node].memory.value(), -1e-6);
    EXPECT_GE(free_[node].slots, 0);
    for (const auto& [resource, amount] : free_[node].extended) {
      EXPECT_GE(amount, -1e-6) << "of resource " << resource.index();
    }
    EXPECT_FALSE(down_.contains(node));
    EXPECT_TRUE(running_.insert(task).second) << "runs twice";
    EXPECT_FALSE(finished_.contains(task)) << "ran already";
    const JobArrived& arrival = scenario_.jobs[job.index()];
    if (task.index() - first_[job.index()] >= arrival.job.map_tasks) {
      for (std::uint32_t i = 0; i < arrival.job.map_tasks; ++i)
        EXPECT_TRUE(finished_.contains(TaskId(first_[job.index()] + i))) << "a reduce before its maps";
    }
  }
  void on_end(const AttemptEnd& end) override {
    EXPECT_EQ(running_.erase(end.task), 1u);
    const JobArrived& arrival = scenario_.jobs[end.job.index()];
    free_[end.node] = free_[end.node] + arrival.job.request;
    if (end.outcome != AttemptEnd::Outcome::finished) return;
    EXPECT_TRUE(finished_.insert(end.task).second) << "finished twice";
    const Task& task = arrival.tasks[end.task.index() - first_[end.job.index()]];
    if (task.block.valid()) {
      EXPECT_NEAR(end.read.value(), task.input.value(), 1e-6);
    }
    double shuffled = 0;
    for (Mebibytes part : end.shuffled) shuffled += part.value();
    if (task.kind == TaskKind::reduce) {
      EXPECT_NEAR(shuffled, arrival.job.shuffle.value() / arrival.job.reduce_tasks, 1e-6);
    }
    const Node& node = scenario_.cluster.nodes[end.node];
    EXPECT_GE(to_seconds(end.end - end.start) * node.speed * arrival.job.request.cpu.value(), end.work.value() - 1e-5);
    work_ += end.work.value();
  }
  void on_job_end(JobId, bool finished, TimePoint) override { finished ? ++jobs_finished_ : ++jobs_failed_; }
  void on_node(NodeId node, bool up, TimePoint) override {
    if (up)
      down_.erase(node);
    else
      down_.insert(node);
    if (!up) {
      EXPECT_EQ(free_[node], scenario_.cluster.nodes[node].capacity);
    }
  }

  // Seen by the tests. NOLINTBEGIN(readability-identifier-naming)
  const Scenario& scenario_;
  IdVector<NodeId, Resources> free_;
  std::set<NodeId> down_;
  std::set<TaskId> running_, finished_;
  std::vector<std::uint32_t> first_;
  std::size_t total_ = 0, jobs_finished_ = 0, jobs_failed_ = 0;
  double work_ = 0;
  // NOLINTEND(readability-identifier-naming)
};

// Nothing is sent to a node that has no room for it by the truth: the controller gave room back too early.
class RoomGuard : public ForwardingCluster {
 public:
  RoomGuard(ClusterClient& cluster, const Auditor& auditor, const ClusterState& state)
      : ForwardingCluster(cluster), auditor_(auditor), state_(state) {}
  void bind(const PreparedBinding& binding) override {
    const ClusterSnapshot& cluster = state_.snapshot();
    const NodeId node = binding.assignment.node;
    EXPECT_TRUE(fits(cluster.jobs[cluster.tasks[binding.assignment.task].job].request, auditor_.free_[node]));
    EXPECT_GE(cluster.free[node].cpu.value(), -1e-6);
    EXPECT_FALSE(auditor_.running_.contains(binding.assignment.task)) << "bound while it runs";
    cluster_.bind(binding);
  }

 private:
  const Auditor& auditor_;
  const ClusterState& state_;
};

struct Audited {
  std::size_t ended = 0;  // jobs
  std::uint64_t faults = 0;
};

inline void audit(const Scenario& scenario, const Policy& policy, const std::optional<Faults>& faults = {},
                  Audited* audited = nullptr) {
  Auditor auditor(scenario);
  SimulatedCluster cluster(scenario, policy.cadence(), auditor);
  const ThinkingPolicy thinking(policy, cluster, scenario.thinking, scenario.thinking_time);
  ClusterState state(scenario.at_start());
  std::optional<FaultyCluster> faulty;
  if (faults) faulty.emplace(cluster, *faults);
  RoomGuard guard(faulty ? static_cast<ClusterClient&>(*faulty) : cluster, auditor, state);
  EpochController controller(state, guard, thinking, scenario.costs);
  std::uint64_t rounds = 0;
  ControllerSettings settings;
  settings.stop = [&] { return ++rounds > 300000; };
  const Result<void> ran = controller.run(settings);
  ASSERT_TRUE(ran.has_value()) << ran.error().message;
  ASSERT_LE(rounds, 300000u) << "no end: " << to_seconds(cluster.now()) << " s, " << cluster.jobs_finished() << "+"
                             << cluster.jobs_failed() << " of " << scenario.jobs.size() << " jobs, "
                             << state.snapshot().pending_tasks << " tasks pending, " << state.snapshot().running.size()
                             << " running, " << state.snapshot().moves.size() << " moves";
  EXPECT_EQ(cluster.jobs_finished(), auditor.jobs_finished_);
  EXPECT_EQ(cluster.jobs_failed(), auditor.jobs_failed_);
  if (!cluster.stuck()) {
    EXPECT_EQ(auditor.jobs_finished_ + auditor.jobs_failed_, scenario.jobs.size());
  }
  if (auditor.jobs_finished_ == scenario.jobs.size()) {
    EXPECT_EQ(auditor.finished_.size(), auditor.total_);
  }
  // The controller's state and the truth agree on what has finished.
  for (TaskId task : state.snapshot().tasks.ids())
    EXPECT_EQ(state.snapshot().tasks[task].state == TaskState::finished, auditor.finished_.contains(task));
  if (audited) *audited = {auditor.jobs_finished_ + auditor.jobs_failed_, faulty ? faulty->injected() : 0};
  cluster.close();
  EXPECT_TRUE(auditor.running_.empty());
  for (NodeId node : scenario.cluster.nodes.ids()) {
    EXPECT_NEAR(auditor.free_[node].cpu.value(), scenario.cluster.nodes[node].capacity.cpu.value(), 1e-9);
  }
}

}  // namespace lips::simulation
