#include "model/marks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.h"
#include "model/cluster_state.h"
#include "model/marks_of_owing.h"
#include "model/unpaid_room.h"
#include "tests/policies/snapshot_builder.h"

namespace lips::testing {
namespace {

constexpr PoolId honest{0}, tenant{1};

// Elastic nodes of eight cores.
class Marked {
 public:
  explicit Marked(int nodes) : state_(start(nodes)) {}

  void at(double second) { state_.advance(TimePoint(seconds(second))); }
  TaskId run(PoolId pool, NodeId node, double cores) {
    state_.apply(job(cluster(), {.pool = pool, .maps = 1, .cpu = 1e6, .cores = cores}));
    const TaskId task(static_cast<std::uint32_t>(cluster().tasks.size() - 1));
    EXPECT_TRUE(state_.assume({task, node, {}, {}}));
    state_.apply(TaskStarted{task, node});
    return task;
  }
  void finish(TaskId task) {
    marks_.erase(task);
    state_.apply(TaskFinished{task, cluster().tasks[task].node});
  }
  void mark(TaskId task) { marks_[task] = TimePoint(std::chrono::hours(24)); }
  void end(TaskId task) { marks_.erase(task); }
  bool is_marked(TaskId task) const { return marks_.contains(task); }
  // The adapter tells the model, and a plan holds nothing else.
  void plan() {
    state_.apply(TasksMarked{{marks_.begin(), marks_.end()}});
    state_.keep({});
  }
  const ClusterSnapshot& cluster() const { return state_.snapshot(); }
  double unpaid(PoolId pool) const { return cluster().pools[pool].unpaid_room.value(); }

 private:
  static ClusterSnapshot start(int nodes) {
    ClusterBuilder builder(1);
    builder.pool(1);
    for (int i = 0; i < nodes; ++i)
      builder.start.nodes[builder.node({.slots = 100, .cpu = 8})].fleet = FleetKind::elastic;
    return builder.start;
  }
  ClusterState state_;
  std::map<TaskId, TimePoint> marks_;
};

TEST(Marks, MakeTheirPoolPayForWhatIsEmptyBesideThem) {
  Marked with(2);
  const TaskId alone = with.run(tenant, NodeId(0), 1);
  with.run(tenant, NodeId(1), 1);
  with.plan();
  EXPECT_TRUE(room_beside_marked(with.cluster()).empty());
  with.mark(alone);
  with.plan();
  const std::vector<HeldRoom> rooms = room_beside_marked(with.cluster());
  ASSERT_EQ(rooms.size(), 1u);
  EXPECT_EQ(rooms.front().reason, HeldFor::marked_tasks);
  EXPECT_EQ(rooms.front().room.cpu, Cores(7));
  with.at(10);
  EXPECT_NEAR(with.unpaid(tenant), 50, 1) << "seven cores are empty, and two are used";
}

TEST(Marks, ShareTheRoomOfANodeByWhatTheyRequest) {
  Marked with(1);
  for (const PoolId pool : {honest, tenant}) with.mark(with.run(pool, NodeId(0), pool == tenant ? 1 : 3));
  with.plan();
  std::map<PoolId, double> of;
  for (const HeldRoom& room : room_beside_marked(with.cluster()))
    of[with.cluster().jobs[room.job].pool] = room.room.cpu.value();
  EXPECT_NEAR(of[honest], 3, 1e-9);
  EXPECT_NEAR(of[tenant], 1, 1e-9);
}

TEST(Marks, OfNodesThatStayAnywayHoldNothing) {
  ClusterBuilder builder(1);
  builder.node({.slots = 100, .cpu = 8});
  ClusterState state(builder.start);
  state.apply(job(state.snapshot(), {.maps = 1, .cpu = 1e6}));
  ASSERT_TRUE(state.assume({TaskId(0), NodeId(0), {}, {}}));
  state.apply(TasksMarked{{{TaskId(0), TimePoint(seconds(100))}}});
  EXPECT_TRUE(state.snapshot().running.front().is_marked());
  EXPECT_TRUE(room_beside_marked(state.snapshot()).empty());
}

// A tenant marks small tasks on as many nodes as it can, again and again. In any window of T seconds they hold at most
// its budget, with a plan's step of all cores above it, once and once more for each 43 minutes, and what its tasks use.
TEST(Marks, HoldNoMoreCoreSecondsThanTheirPoolPaysFor) {
  constexpr double step = 10;
  int owed = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const int nodes = static_cast<int>(4 + random.below(12));
    const Duration budget = seconds(seed % 3 == 0 ? 60 : 120);
    Marked with(nodes);
    OwingPools owing;
    std::vector<TaskId> own, of_tenant;
    std::vector<double> idle{0}, used{0};
    for (int i = 0; i < nodes / 2; ++i)  // full nodes of the other pool
      for (int k = 0; k < 7; ++k)
        with.mark(own.emplace_back(with.run(honest, NodeId(static_cast<std::uint32_t>(i)), 1)));
    for (double now = 0; now < 7200; now += step) {
      with.at(now);
      for (std::uint64_t k = random.below(3); k > 0; --k) {
        const NodeId node(static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(nodes))));
        const double cores = 0.1 * static_cast<double>(1 + random.below(5));
        if (with.cluster().free[node].cpu.value() < cores) continue;
        of_tenant.push_back(with.run(tenant, node, cores));
        if (!owing.contains(with.cluster().pools[tenant].name)) with.mark(of_tenant.back());
      }
      while (of_tenant.size() > 20) {
        const auto i = static_cast<std::ptrdiff_t>(random.below(of_tenant.size()));
        with.finish(of_tenant[static_cast<std::size_t>(i)]);
        of_tenant.erase(of_tenant.begin() + i);
      }
      with.plan();
      owing.look(with.cluster(), budget);
      for (const TaskId task : marks_to_end(with.cluster(), owing)) with.end(task);
      owed += owing.contains(with.cluster().pools[tenant].name);
      with.plan();
      double kept = 0;
      for (const HeldRoom& room : room_beside_marked(with.cluster()))
        if (with.cluster().jobs[room.job].pool == tenant) kept += room.room.cpu.value();
      idle.push_back(idle.back() + step * kept);
      used.push_back(used.back() + step * with.cluster().pool_cores[tenant].value());
    }
    const double cores = 8.0 * nodes, fade = std::log(2.0) / to_seconds(unpaid_half_life);
    const double most = cores * to_seconds(budget) + cores * step;
    for (std::size_t begin = 0; begin < idle.size(); begin += 7)
      for (std::size_t end = begin + 1; end < idle.size(); end += 13)
        ASSERT_LE(idle[end] - idle[begin],
                  most * (1 + fade * static_cast<double>(end - begin) * step) + used[end] - used[begin] + 1e-6)
            << begin << " to " << end;
    for (const TaskId task : own) ASSERT_TRUE(with.is_marked(task)) << "who uses what he keeps pays for it";
  }
  EXPECT_GT(owed, 10'000) << "budgets bind";
}

}  // namespace
}  // namespace lips::testing
