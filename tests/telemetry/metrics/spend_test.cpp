#include "telemetry/metrics/spend.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/random.h"
#include "model/cluster_state.h"

namespace lips {
namespace {

constexpr double mebibytes = 1024, usd_per_mebibyte = 0.02 / 1024;  // 0.02 USD for all of it across zones
const CostModel costs = uniform_costs(2, UsdPerMebibyte(usd_per_mebibyte));

ClusterSnapshot two_zones() {
  ClusterSnapshot start;
  start.profiles.push_back({});
  start.pools.push_back({"pool", 1, {}, {}, {}});
  for (std::uint32_t z = 0; z < 2; ++z) {
    start.zones.push_back({z == 0 ? "a" : "b"});
    Node node;
    node.name = z == 0 ? "a" : "b";
    node.zone = ZoneId(z);
    node.profile = ProfileId(0);
    node.capacity = {Cores(100), Mebibytes(1e6), 100};
    node.cpu_price = UsdPerCpuSecond(1e-6);
    start.nodes.push_back(node);
  }
  return start;
}

JobArrived reduces(std::uint32_t count, std::uint32_t of_all) {
  JobArrived arrived;
  arrived.job.pool = PoolId(0);
  arrived.job.request = {Cores(1), Mebibytes(1), 1};
  arrived.job.shuffle = Mebibytes(mebibytes);
  arrived.job.reduce_tasks = count;
  arrived.job.whole = {WholeJobId(0), 2, of_all, 2, {}};
  arrived.maps_before = {2, 0};
  Task task;
  task.kind = TaskKind::reduce;
  task.cpu = CpuSeconds(1);
  arrived.tasks.assign(count, task);
  return arrived;
}

// One job's reduces arrive in any groups, with or without a word on how many there are, and end in between: the money
// of their shuffle is that of one shuffle.
class ShuffleMoney : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(ShuffleMoney, IsThatOfOneShuffleHoweverReducesCome) {
  Random random(GetParam());
  for (int round = 0; round < 40; ++round) {
    const auto all = 1 + static_cast<std::uint32_t>(random.below(6));
    const bool declared = random.below(2) == 0;
    std::vector<NodeId> node(all);
    double across = 0;
    for (NodeId& each : node) {
      each = NodeId(static_cast<std::uint32_t>(random.below(2)));
      across += each.index();
    }
    ClusterState state(two_zones());
    Bill told;
    Spend spend([&](const std::string&, const Bill& more) {
      EXPECT_GE(more.shuffle.value(), 0) << "a counter does not fall";
      told += more;
    });
    std::vector<TaskId> running;
    const auto end_one = [&] {
      const std::size_t which = random.below(running.size());
      const TaskId task = running[which];
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
      state.apply(TaskFinished{task, node[task.index()]});
      EXPECT_TRUE(spend.end(state.snapshot(), costs, task, Duration(0)));
    };
    std::uint32_t come = 0;
    while (come < all) {
      const auto count = std::min(all - come, 1 + static_cast<std::uint32_t>(random.below(3)));
      state.apply(reduces(count, declared ? all : come + count));
      spend.grow(state.snapshot().jobs.items().back());
      for (std::uint32_t i = 0; i < count; ++i, ++come) {
        const TaskId task(come);
        const Bill bill = task_bill(state.snapshot(), costs, state.snapshot().tasks[task], {task, node[come], {}, {}});
        ASSERT_TRUE(state.assume({task, node[come], {}, {}}));
        spend.begin(state.snapshot(), costs, {task, node[come], {}, {}, 1}, bill);
        running.push_back(task);
      }
      while (!running.empty() && random.below(3) == 0) end_one();
    }
    while (!running.empty()) end_one();
    const double expected = 0.02 * across / all;
    // What was told of before more reduces were known of cannot be taken back, but is made up for by those that follow.
    if (declared) {
      EXPECT_NEAR(told.shuffle.value(), expected, 1e-9) << "seed " << GetParam() << " round " << round;
    }
    EXPECT_GE(told.shuffle.value(), expected - 1e-9);
    EXPECT_LE(told.shuffle.value(), 0.02 + 1e-9);
    EXPECT_NEAR(spend.due("pool").shuffle.value(), expected, 1e-9) << "seed " << GetParam() << " round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ShuffleMoney, ::testing::Range<std::uint64_t>(1, 9));

TEST(ShuffleMoney, OfFourReducesSeenOneByOneIsNotFourfold) {
  ClusterState state(two_zones());
  Usd told;
  Spend spend([&](const std::string&, const Bill& more) { told += more.shuffle; });
  for (std::uint32_t i = 0; i < 4; ++i) {
    state.apply(reduces(1, i + 1));
    spend.grow(state.snapshot().jobs.items().back());
    const TaskId task(i);
    const Bill bill = task_bill(state.snapshot(), costs, state.snapshot().tasks[task], {task, NodeId(1), {}, {}});
    ASSERT_TRUE(state.assume({task, NodeId(1), {}, {}}));
    spend.begin(state.snapshot(), costs, {task, NodeId(1), {}, {}, 1}, bill);
    state.apply(TaskFinished{task, NodeId(1)});
    spend.end(state.snapshot(), costs, task, Duration(0));
  }
  EXPECT_NEAR(told.value(), 0.02, 1e-9);
}

JobArrived peers(std::uint32_t count, std::uint32_t of_all) {
  JobArrived arrived = reduces(0, 0);
  arrived.job.map_tasks = count;
  arrived.job.whole = {WholeJobId(0), of_all, 0, 0, {}, true, of_all};
  Task task;
  task.cpu = CpuSeconds(1);
  arrived.tasks.assign(count, task);
  return arrived;
}

// Peers begin in two groups, and end or are withdrawn in any order: all that was charged is one exchange between the
// zones in which they ran, and so is all that was predicted.
TEST_P(ShuffleMoney, OfPeersIsThatOfOneExchangeHoweverTheyComeAndGo) {
  Random random(GetParam());
  for (int round = 0; round < 40; ++round) {
    const auto all = 2 + static_cast<std::uint32_t>(random.below(8));
    ClusterState state(two_zones());
    Bill told;
    Spend spend([&](const std::string&, const Bill& more) {
      EXPECT_GE(more.shuffle.value(), 0) << "a counter does not fall";
      told += more;
    });
    std::vector<TaskId> running;
    double in_b = 0;
    Usd predicted, counted;
    const bool withdrawn = random.below(2) == 0;
    const auto begin = [&](TaskId task) {
      const NodeId node(static_cast<std::uint32_t>(random.below(2)));
      ASSERT_TRUE(state.assume({task, node, {}, {}}));
      spend.begin(state.snapshot(), costs, {task, node, {}, {}, 1}, {});
      if (random.below(4) == 0) {  // it was never there, and comes again
        ASSERT_TRUE(spend.undo(state.snapshot(), costs, task));
        spend.begin(state.snapshot(), costs, {task, node, {}, {}, 1}, {});
      }
      running.push_back(task);
      in_b += node.index();
    };
    const auto end_one = [&] {
      const std::size_t which = random.below(running.size());
      const TaskId task = running[which];
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
      if (withdrawn) {
        ASSERT_TRUE(spend.cut_off(state.snapshot(), costs, task, Duration(0)));
        return;
      }
      const std::optional<EndedTask> ended = spend.end(state.snapshot(), costs, task, Duration(0));
      ASSERT_TRUE(ended);
      predicted += ended->predicted.shuffle, counted += ended->ours.shuffle;
      EXPECT_EQ(ended->ours_beside({"delay", {}, {}, Usd(2)}).shuffle, Usd(2));
    };
    state.apply(peers(all - 1, all));
    for (std::uint32_t i = 0; i + 1 < all; ++i) begin(TaskId(i));
    while (running.size() > 1 && random.below(3) == 0) end_one();
    state.apply(peers(1, all));
    begin(TaskId(all - 1));
    while (!running.empty()) end_one();
    const double b = in_b / all, expected = 0.02 * (1 - b * b - (1 - b) * (1 - b));
    EXPECT_NEAR(told.shuffle.value(), expected, 1e-9) << "seed " << GetParam() << " round " << round;
    if (withdrawn) continue;
    EXPECT_NEAR(counted.value(), expected, 1e-9);
    EXPECT_NEAR(predicted.value(), expected, 1e-9);
  }
}

}  // namespace
}  // namespace lips
