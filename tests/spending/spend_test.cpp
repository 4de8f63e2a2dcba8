#include "spending/spend.h"

#include <gtest/gtest.h>

#include <optional>

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

// A state and the dollars of what happens to it.
struct Followed {
  ClusterState state{two_zones()};
  Bill due;
  Spend spend{[this](const Charge& charge) { due += charge.more; }};

  Followed() { spend.price(costs); }
  Spend::Changes tell(const ClusterEvent& event) {
    state.apply(event);
    return spend.on_event(state.snapshot(), event);
  }
  void bind(TaskId task, NodeId node) {
    const Assignment assignment{task, node, {}, {}};
    ASSERT_TRUE(state.assume(assignment));
    spend.on_bind(state.snapshot(), assignment);
  }
  std::optional<EndedTask> end(TaskId task, NodeId node) {
    Spend::Changes changes = tell(TaskFinished{task, node, Duration(0)});
    return changes.ended.empty() ? std::nullopt : std::optional(changes.ended[0]);
  }
};

TaskId take_any(std::vector<TaskId>& tasks, Random& random) {
  const std::size_t which = random.below(tasks.size());
  const TaskId task = tasks[which];
  tasks.erase(tasks.begin() + static_cast<std::ptrdiff_t>(which));
  return task;
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
    Followed of;
    std::vector<TaskId> running;
    const auto end_one = [&] {
      const TaskId task = take_any(running, random);
      EXPECT_TRUE(of.end(task, node[task.index()]));
    };
    std::uint32_t come = 0;
    while (come < all) {
      const auto count = std::min(all - come, 1 + static_cast<std::uint32_t>(random.below(3)));
      of.tell(reduces(count, declared ? all : come + count));
      for (std::uint32_t i = 0; i < count; ++i, ++come) {
        of.bind(TaskId(come), node[come]);
        running.push_back(TaskId(come));
      }
      while (!running.empty() && random.below(3) == 0) end_one();
    }
    while (!running.empty()) end_one();
    EXPECT_NEAR(of.due.shuffle.value(), 0.02 * across / all, 1e-9) << "seed " << GetParam() << " round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ShuffleMoney, ::testing::Range<std::uint64_t>(1, 9));

TEST(ShuffleMoney, OfFourReducesSeenOneByOneIsNotFourfold) {
  Followed of;
  for (std::uint32_t i = 0; i < 4; ++i) {
    of.tell(reduces(1, i + 1));
    of.bind(TaskId(i), NodeId(1));
    of.end(TaskId(i), NodeId(1));
  }
  EXPECT_NEAR(of.due.shuffle.value(), 0.02, 1e-9);
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
    Followed of;
    std::vector<TaskId> running;
    std::vector<NodeId> where(all);
    double in_b = 0;
    Usd predicted, counted;
    const bool withdrawn = random.below(2) == 0;
    const auto begin = [&](TaskId task) {
      const NodeId node = where[task.index()] = NodeId(static_cast<std::uint32_t>(random.below(2)));
      of.bind(task, node);
      if (random.below(4) == 0) {  // its binding is refused, and comes again
        EXPECT_EQ(of.tell(TaskLost{task}).ended.at(0).end, EndedTask::End::refused);
        of.bind(task, node);
      } else if (random.below(4) == 0) {  // another scheduler takes it elsewhere
        where[task.index()] = NodeId(1 - node.index());
        EXPECT_EQ(of.tell(TaskFound{task, where[task.index()], {}}).ended.at(0).end, EndedTask::End::elsewhere);
      }
      running.push_back(task);
      in_b += where[task.index()].index();
    };
    const auto end_one = [&] {
      const TaskId task = take_any(running, random);
      if (withdrawn) {
        EXPECT_EQ(of.tell(TaskWithdrawn{task, Duration(0)}).ended.at(0).end, EndedTask::End::cut_off);
        return;
      }
      const std::optional<EndedTask> ended = of.end(task, where[task.index()]);
      ASSERT_TRUE(ended);
      predicted += ended->predicted.shuffle, counted += ended->ours.shuffle;
    };
    of.tell(peers(all - 1, all));
    for (std::uint32_t i = 0; i + 1 < all; ++i) begin(TaskId(i));
    while (running.size() > 1 && random.below(3) == 0) end_one();
    of.tell(peers(1, all));
    begin(TaskId(all - 1));
    while (!running.empty()) end_one();
    const double b = in_b / all, expected = 0.02 * (1 - b * b - (1 - b) * (1 - b));
    EXPECT_NEAR(of.due.shuffle.value(), expected, 1e-9) << "seed " << GetParam() << " round " << round;
    if (withdrawn) continue;
    EXPECT_NEAR(counted.value(), expected, 1e-9);
    EXPECT_NEAR(predicted.value(), expected, 1e-9);
  }
}

// A task that was on its node and is lost costs its time; one whose binding was refused costs nothing.
TEST(Spend, ChargesALostTaskIfItHadStarted) {
  for (const bool started : {false, true}) {
    Followed of;
    JobArrived arrived = peers(1, 1);
    arrived.job.whole = {};
    of.tell(arrived);
    of.bind(TaskId(0), NodeId(0));
    if (started) of.tell(TaskStarted{TaskId(0), NodeId(0)});
    of.state.advance(TimePoint(seconds(10)));
    EXPECT_EQ(of.tell(TaskLost{TaskId(0)}).ended.at(0).end, started ? EndedTask::End::lost : EndedTask::End::refused);
    EXPECT_NEAR(of.due.total().value(), started ? 1e-5 : 0, 1e-12);
  }
}

}  // namespace
}  // namespace lips
