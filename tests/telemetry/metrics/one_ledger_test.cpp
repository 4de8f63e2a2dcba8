// Metrics and targets say the same dollars of whatever happens in a cluster.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "model/cluster_state.h"
#include "model/job_dollars.h"
#include "targets/ledger.h"
#include "telemetry/metrics/operator_metrics.h"

namespace lips {
namespace {

constexpr std::uint32_t zones = 3, pools = 2, blocks = 4;

ClusterSnapshot one_ledger_start() {
  ClusterSnapshot cluster;
  cluster.profiles.push_back({}), cluster.constraints.push_back({});
  for (std::uint32_t i = 0; i < zones; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    cluster.zones.push_back({name}), cluster.racks.push_back({name, ZoneId(i)});
    Node node;
    node.name = name, node.zone = ZoneId(i), node.rack = RackId(i), node.profile = ProfileId(0);
    node.capacity = {Cores(50), Mebibytes(1e6), 50};
    node.cpu_price = UsdPerCpuSecond(1e-5 * (1 + i)), node.speed = 1 + 0.5 * i;
    cluster.nodes.push_back(node);
    cluster.stores.push_back({name, StoreKind::node_directory, ZoneId(i), NodeId(i), {}, {}, {}});
    cluster.stores[StoreId(i)].price = UsdPerMebibyteHour(1e-6);
  }
  cluster.data_sets.push_back({"logs", BlockId(0), blocks, {}, {}});
  for (std::uint32_t i = 0; i < blocks; ++i)
    cluster.blocks.push_back({DataSetId(0), Mebibytes(100), {}, {{StoreId(i % zones)}}});
  for (std::uint32_t i = 0; i < pools; ++i) cluster.pools.push_back({"pool-" + std::to_string(i), 1, {}, {}, {}});
  return cluster;
}

// A random life of a cluster, told to both.
class Life {
 public:
  explicit Life(std::uint64_t seed) : random_(seed) { list(); }

  void go_on() {
    switch (random_.below(16)) {
      case 0:
      case 1:
        return advance(random_.below(20) == 0 ? 90'000 : random_.below(600));
      case 2:
        return arrive();
      case 3:
      case 4:
      case 5:
        return bind();
      case 6:
        return with_running([&](TaskId task) { tell(TaskStarted{task, at(task)}); });
      case 7:
      case 8:
        return with_running([&](TaskId task) { finish(task, random_.below(5) == 0); });
      case 9:
        if (random_.below(4) == 0)
          with_running([&](TaskId task) { tell(TaskWithdrawn{task, random_.below(2) ? ran(task) : std::nullopt}); });
        return;
      case 10:
        return with_running([&](TaskId task) { tell(TaskLost{task}); });
      case 11:
        if (random_.below(5) == 0) lose_node();
        return;
      case 12:
        return find();
      case 13:
        return move();
      case 14:
        return plan();
      default:
        if (random_.below(6) == 0) list();
    }
  }
  // Nothing runs any more.
  void end() {
    while (!cluster().running.empty()) finish(cluster().running.front().task, false);
    plan();
  }
  // By job, since a counter that has told too much waits.
  void expect_equal_dollars() const {
    std::map<std::string, Bill> by_pool;
    for (const JobDay& row : metrics_.by_job()) by_pool[row.pool] += row.dollars.spent;
    for (const auto& [pool, bill] : by_pool) {
      if (pool == data_pool) continue;
      EXPECT_NEAR(bill.total().value(), ledger_.sum(pool).dollars.value(), 1e-9) << pool;
    }
    EXPECT_NEAR(spent().total().value(), ledger_.sum(everyone).dollars.value(), 1e-9);
  }
  Bill spent() const {
    Bill all;
    for (const JobDay& row : metrics_.by_job()) all += row.dollars.spent;
    return all;
  }

 private:
  const ClusterSnapshot& cluster() const { return state_.snapshot(); }
  NodeId any_node() { return NodeId(static_cast<std::uint32_t>(random_.below(zones))); }
  NodeId at(TaskId task) const { return cluster().tasks[task].node; }
  std::optional<Duration> ran(TaskId task) const {
    const auto found = since_.find(task);
    return found == since_.end() ? std::nullopt : std::optional(cluster().now - found->second);
  }

  void tell(const ClusterEvent& event) {
    state_.apply(event);
    metrics_.on_event(cluster(), event);
    ledger_.on_event(cluster(), event);
  }
  void advance(std::uint64_t span) { state_.advance(cluster().now + seconds(static_cast<double>(span))); }
  template <class Do>
  void with_running(Do act) {
    if (!cluster().running.empty()) act(cluster().running[random_.below(cluster().running.size())].task);
  }

  JobArrived new_job() {
    JobArrived arrived;
    Job& job = arrived.job;
    job.name = "job-" + std::to_string(names_), job.pool = PoolId(static_cast<std::uint32_t>(random_.below(pools)));
    job.constraint = ConstraintId(0), job.arrival = cluster().now;
    job.request = {Cores(1), Mebibytes(0), 1};
    const auto maps = 1 + static_cast<std::uint32_t>(random_.below(4));
    job.map_tasks = maps;
    Task task;
    task.cpu = CpuSeconds(random_.uniform(1, 500));
    const std::uint64_t kind = random_.below(3);
    if (kind > 0) job.shuffle = Mebibytes(random_.uniform(1, 500));
    if (kind == 2) job.whole = {WholeJobId(names_), maps, 0, 0, {}, true, maps};
    for (std::uint32_t i = 0; i < maps; ++i) {
      if (kind < 2) task.block = BlockId(i % blocks), task.input = Mebibytes(100);
      arrived.tasks.push_back(task);
    }
    if (kind == 1) {
      job.reduce_tasks = 1 + static_cast<std::uint32_t>(random_.below(3));
      task = Task{};
      task.kind = TaskKind::reduce, task.cpu = CpuSeconds(random_.uniform(1, 100));
      arrived.tasks.insert(arrived.tasks.end(), job.reduce_tasks, task);
    }
    ++names_;
    return arrived;
  }
  void arrive() { tell(new_job()); }

  void bind() {
    if (cluster().pending.empty()) return;
    const JobId job = cluster().pending[random_.below(cluster().pending.size())];
    for (std::uint32_t i = 0; i < cluster().jobs[job].tasks(); ++i) {
      const TaskId task(cluster().jobs[job].first_task.index() + i);
      if (cluster().tasks[task].state != TaskState::pending) continue;
      Assignment assignment{task, any_node(), {}, {}};
      const BlockId block = cluster().tasks[task].block;
      if (block.valid()) assignment.read_from = cluster().blocks[block].replicas.front().store;
      if (!state_.assume(assignment)) return;
      since_[task] = cluster().now;
      metrics_.on_bind(cluster(), assignment);
      ledger_.on_bind(cluster(), assignment);
      return;
    }
  }
  void finish(TaskId task, bool failed) {
    tell(TaskFinished{task, at(task), random_.below(2) ? ran(task) : std::nullopt, failed});
  }
  void lose_node() {
    const NodeId node = any_node();
    tell(NodeLost{node, false});
    tell(NodeBack{node});
  }
  // Another scheduler was faster, or a binding without an answer was made.
  void find() {
    with_running([&](TaskId task) {
      if (cluster().tasks[task].state != TaskState::bound) return;
      const NodeId node = any_node();
      if (node != at(task)) since_[task] = cluster().now;
      tell(TaskFound{task, node, since_[task]});
    });
  }
  void move() {
    if (cluster().moves.empty() || random_.below(2)) {
      const BlockId block(static_cast<std::uint32_t>(random_.below(blocks)));
      const StoreId to(static_cast<std::uint32_t>(random_.below(zones)));
      if (cluster().blocks[block].on(to)) return;
      planned_moves_.push_back({block, cluster().blocks[block].replicas.front().store, to});
      return;
    }
    const MoveInFlight move = cluster().moves.front();
    const bool committed = random_.below(3) > 0;
    if (committed) tell(ReplicaAdded{move.block, {move.to, true, cluster().now}});
    tell(MoveEnded{move.id, committed});
  }
  void plan() {
    Plan plan;
    plan.moves = std::exchange(planned_moves_, {});
    metrics_.decided({"lips", cluster(), costs_, plan, 0});
    ledger_.on_plan(cluster(), plan);
    for (const DataMove& move : plan.moves) state_.begin_move({MoveId(moves_++), move.block, move.from, move.to});
  }

  // Everything gets new ids, as after a new node; what runs is found again.
  void list() {
    const ClusterSnapshot before = cluster();
    auto now = std::make_shared<ClusterSnapshot>(one_ledger_start());
    now->now = before.now;
    if (!before.blocks.empty()) now->blocks = before.blocks, now->extra_copies = before.extra_copies;
    planned_moves_.clear();
    tell(ClusterListed{now, costs_});
    const std::map<TaskId, TimePoint> since = std::exchange(since_, {});
    for (std::size_t i = before.jobs.size(); i-- > 0;) list_job(before, JobId(static_cast<std::uint32_t>(i)), since);
  }
  void list_job(const ClusterSnapshot& before, JobId id, const std::map<TaskId, TimePoint>& since) {
    const Job& known = before.jobs[id];
    if (known.finished()) return;
    JobArrived arrived;
    Job& job = arrived.job;
    job.name = known.name, job.pool = known.pool, job.constraint = known.constraint, job.arrival = known.arrival;
    job.request = known.request, job.shuffle = known.shuffle;
    std::vector<TaskId> old;
    for (std::uint32_t i = 0; i < known.tasks(); ++i) {
      const TaskId task(known.first_task.index() + i);
      if (before.tasks[task].state == TaskState::finished) continue;
      ++(before.tasks[task].kind == TaskKind::reduce ? job.reduce_tasks : job.map_tasks);
      Task same;
      same.kind = before.tasks[task].kind, same.cpu = before.tasks[task].cpu, same.block = before.tasks[task].block;
      same.input = before.tasks[task].input;
      arrived.tasks.push_back(same), old.push_back(task);
    }
    if (known.whole.peers) job.whole = {known.whole.id, job.map_tasks, 0, 0, {}, true, job.map_tasks};
    tell(arrived);
    const TaskId first = cluster().jobs.items().back().first_task;
    for (std::uint32_t i = 0; i < old.size(); ++i) {
      const Task& task = before.tasks[old[i]];
      if (task.state != TaskState::bound && task.state != TaskState::running) continue;
      const TaskId now(first.index() + i);
      since_[now] = since.at(old[i]);
      tell(TaskFound{now, task.node, since_[now]});
    }
  }

  const CostModel costs_ = uniform_costs(zones, UsdPerMebibyte(1e-5));
  Random random_;
  ClusterState state_{one_ledger_start()};
  OperatorMetrics metrics_{{"1", "", ""}};
  TargetLedger ledger_{Billing::use, CostModel{}};
  std::map<TaskId, TimePoint> since_;  // on their nodes
  std::vector<DataMove> planned_moves_;
  std::uint32_t names_ = 0, moves_ = 0;
};

class OneLedger : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(OneLedger, OfMetricsAndTargetsSaysTheSameDollars) {
  Bill all;
  for (std::uint64_t round = 0; round < 20; ++round) {
    SCOPED_TRACE("seed " + std::to_string(GetParam()) + " round " + std::to_string(round));
    Life life(derive_seed(GetParam(), round));
    for (int step = 0; step < 300; ++step) life.go_on();
    life.end();
    life.expect_equal_dollars();
    all += life.spent();
  }
  for (Usd Bill::*term : {&Bill::cpu, &Bill::transfer, &Bill::shuffle, &Bill::moves, &Bill::storage})
    EXPECT_GT((all.*term).value(), 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, OneLedger, ::testing::Range<std::uint64_t>(1, 6));

}  // namespace
}  // namespace lips
