// What holds in every run, whatever the policy does.
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "controller/epoch_controller.h"
#include "model/cluster_state.h"
#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/simulated_cluster.h"
#include "simulation/thinking_policy.h"
#include "tests/simulation/random_scenario.h"

namespace lips::simulation {
namespace {

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

class KeepsCopies : public tiny::FirstFit {
 public:
  explicit KeepsCopies(StoreId store) { keep_in_ = store; }
  void change(const PolicyInput& input, Plan& plan) const override {
    const ClusterSnapshot& cluster = input.cluster;
    if (!cluster.moves.empty()) return;
    for (BlockId block : cluster.blocks.ids()) {
      const std::vector<Replica>& replicas = cluster.blocks[block].replicas;
      const StoreId to((block.index() + static_cast<std::uint32_t>(to_seconds(cluster.now))) %
                       static_cast<std::uint32_t>(cluster.stores.size()));
      if (replicas.size() == 1 && replicas[0].store != to)
        plan.moves.push_back({block, replicas[0].store, to, block.index() % 2 == 0});
      else if (replicas.size() > 2)
        plan.drops.push_back({block, replicas[0].store});
    }
  }
};

void audit(const Scenario& scenario, const Policy& policy) {
  Auditor auditor(scenario);
  SimulatedCluster cluster(scenario, policy.cadence(), auditor);
  const ThinkingPolicy thinking(policy, cluster, scenario.thinking, scenario.thinking_time);
  ClusterState state(scenario.cluster);
  EpochController controller(state, cluster, thinking, scenario.costs);
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
  cluster.close();
  EXPECT_TRUE(auditor.running_.empty());
  for (NodeId node : scenario.cluster.nodes.ids()) {
    EXPECT_NEAR(auditor.free_[node].cpu.value(), scenario.cluster.nodes[node].capacity.cpu.value(), 1e-9);
  }
}

TEST(Conservation, HoldsForAGreedyPolicyInEveryCadence) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const Scenario scenario = tiny::random_scenario(seed);
    for (Cadence::Trigger trigger : {Cadence::Trigger::epoch, Cadence::Trigger::events, Cadence::Trigger::heartbeats}) {
      SCOPED_TRACE(static_cast<int>(trigger));
      audit(scenario, tiny::FirstFit({trigger, seconds(10), seconds(0)}));
    }
  }
}

TEST(Conservation, HoldsWhileDataMovesAndCopiesComeAndGo) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const Scenario scenario = tiny::random_scenario(seed);
    audit(scenario, KeepsCopies(StoreId(static_cast<std::uint32_t>(seed % scenario.cluster.stores.size()))));
  }
}

TEST(Conservation, HoldsForEveryPolicyOfTheRegistry) {
  for (const PolicyEntry& entry : policy_registry()) {
    SCOPED_TRACE(entry.name);
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(seed);
      audit(tiny::random_scenario(seed), *entry.make(PolicySettings{}));
    }
  }
}

// Every figure to the last bit.
std::string text(const RunResult& result) {
  std::ostringstream out;
  out << std::hexfloat;
  const auto write = [&](const Series& series) {
    out << series.bin.count() << ';';
    for (const auto& channel : series.value)
      for (double value : channel) out << value << ',';
  };
  const Bill& bill = result.bill;
  for (Usd term : {bill.cpu, bill.transfer, bill.shuffle, bill.moves, bill.storage, result.lost_work, result.nodes_all,
                   result.nodes_when_used})
    out << term.value() << ' ';
  out << result.makespan.count() << ' ' << result.jobs_finished << ' ' << result.tasks_finished << ' '
      << result.attempts_lost << ' ' << result.completion.mean << ' ' << result.completion.p95 << ' '
      << result.small_jobs.mean_slowdown << ' ' << result.events << ' ' << result.plans.made << ' '
      << result.fairness.jain << ' ' << result.fairness.worst_shortfall;
  write(result.fairness.share);
  write(result.utilisation);
  for (const BusyInterval& busy : result.busy)
    out << busy.node.index() << ',' << busy.start.time_since_epoch().count() << ','
        << busy.end.time_since_epoch().count() << ';';
  return out.str();
}

TEST(Conservation, EqualSeedsGiveEqualBytes) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    for (const PolicyEntry& entry : policy_registry()) {
      SCOPED_TRACE(entry.name);
      const Result<RunResult> first = run(tiny::random_scenario(seed), *entry.make({}), "p");
      const Result<RunResult> second = run(tiny::random_scenario(seed), *entry.make({}), "p");
      ASSERT_TRUE(first && second);
      EXPECT_EQ(text(*first), text(*second));
    }
  }
  const Result<RunResult> one = run(tiny::random_scenario(1), tiny::FirstFit(), "p");
  const Result<RunResult> two = run(tiny::random_scenario(2), tiny::FirstFit(), "p");
  EXPECT_NE(text(*one), text(*two));
}

}  // namespace
}  // namespace lips::simulation
