#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "model/cluster_state.h"
#include "model/snapshot.h"
#include "model/task_bill.h"

namespace lips {
namespace {

constexpr std::uint32_t zones = 3;
const CostModel costs = uniform_costs(zones, UsdPerMebibyte(0.01));

ClusterSnapshot three_zones() {
  ClusterSnapshot start;
  for (std::uint32_t z = 0; z < zones; ++z) {
    start.zones.push_back({"zone-" + std::to_string(z)});
    Node node;
    node.name = "node-" + std::to_string(z);
    node.zone = ZoneId(z);
    node.capacity = {Cores(100), Mebibytes(1e6), 100};
    node.profile = ProfileId(0);
    start.nodes.push_back(node);
  }
  start.profiles.push_back({});
  start.pools.push_back({"pool", 1, {}, {}, {}});
  return start;
}

JobArrived part_of(WholeJobId whole, std::uint32_t maps, std::uint32_t reduces) {
  JobArrived arrived;
  arrived.job.pool = PoolId(0);
  arrived.job.request = {Cores(1), Mebibytes(1), 1};
  arrived.job.shuffle = Mebibytes(1024);
  arrived.job.map_tasks = maps;
  arrived.job.reduce_tasks = reduces;
  arrived.job.whole.id = whole;
  for (std::uint32_t i = 0; i < maps + reduces; ++i) {
    Task task;
    task.kind = i < maps ? TaskKind::map : TaskKind::reduce;
    task.cpu = CpuSeconds(10);
    arrived.tasks.push_back(task);
  }
  return arrived;
}

TaskState state_of(const ClusterState& state, std::uint32_t task) { return state.snapshot().tasks[TaskId(task)].state; }

void run(ClusterState& state, TaskId task, NodeId node) {
  ASSERT_TRUE(state.assume({task, node, {}, {}}));
  state.apply(TaskFinished{task, node});
}

TEST(WholeJob, ReducesWaitForTheMapsOfOtherParts) {
  ClusterState state(three_zones());
  JobArrived reduces = part_of(WholeJobId(0), 0, 2), maps = part_of(WholeJobId(0), 2, 0);
  reduces.job.request.cpu = Cores(8);  // asks for something else
  state.apply(maps);
  state.apply(reduces);
  EXPECT_EQ(state_of(state, 2), TaskState::blocked);
  run(state, TaskId(0), NodeId(0));
  EXPECT_EQ(state_of(state, 2), TaskState::blocked);
  run(state, TaskId(1), NodeId(1));
  EXPECT_EQ(state_of(state, 2), TaskState::pending);
  EXPECT_EQ(state.snapshot().pending, std::vector{JobId(1)});
  EXPECT_EQ(state.snapshot().jobs[JobId(1)].map_output, (std::vector{Mebibytes(512), Mebibytes(512), Mebibytes(0)}));
}

TEST(WholeJob, MapsThatComeLaterHoldReducesBackThatDoNotRunYet) {
  ClusterState state(three_zones());
  state.apply(part_of(WholeJobId(0), 0, 2));
  ASSERT_TRUE(state.assume({TaskId(0), NodeId(0), {}, {}}));
  state.apply(part_of(WholeJobId(0), 1, 0));
  EXPECT_EQ(state_of(state, 0), TaskState::bound);
  EXPECT_EQ(state_of(state, 1), TaskState::blocked);
  EXPECT_EQ(state.snapshot().pending, std::vector{JobId(1)});
  state.apply(TaskLost{TaskId(0)});
  EXPECT_EQ(state_of(state, 0), TaskState::blocked);
  run(state, TaskId(2), NodeId(0));
  EXPECT_EQ(state_of(state, 0), TaskState::pending);
  EXPECT_EQ(state_of(state, 1), TaskState::pending);
  EXPECT_EQ(state.snapshot().pending_tasks, 2u);
}

TEST(WholeJob, AFailedMapLeavesNothing) {
  ClusterState state(three_zones());
  state.apply(part_of(WholeJobId(0), 1, 1));
  ASSERT_TRUE(state.assume({TaskId(0), NodeId(0), {}, {}}));
  state.apply(TaskFinished{TaskId(0), NodeId(0), {}, true});
  EXPECT_EQ(state.snapshot().jobs[JobId(0)].map_output, std::vector(zones, Mebibytes(0)));
  EXPECT_EQ(state_of(state, 1), TaskState::pending) << "whoever replaces it comes as another part";
}

TEST(WholeJob, PartsShareTheirHome) {
  ClusterState state(three_zones());
  state.apply(part_of(WholeJobId(0), 1, 0));
  state.apply(part_of(WholeJobId(0), 0, 1));
  JobMemory memory;
  memory.home = ZoneId(2);
  memory.home_decided = true;
  memory.opportunities = 7;
  state.remember(Remembered{JobId(0), memory});
  EXPECT_EQ(state.snapshot().jobs[JobId(1)].memory.home, ZoneId(2));
  EXPECT_TRUE(state.snapshot().jobs[JobId(1)].memory.home_decided);
  EXPECT_EQ(state.snapshot().jobs[JobId(1)].memory.opportunities, 0u);
}

TEST(WholeJob, TheOthersAreAwaitedFromTheStartOfTheOneThatCoordinates) {
  ClusterState state(three_zones());
  JobArrived driver = part_of(WholeJobId(0), 1, 0), other = part_of(WholeJobId(0), 1, 0);
  driver.job.whole.peers = other.job.whole.peers = driver.job.coordinates = true;
  driver.job.whole.arrived = other.job.whole.arrived = TimePoint(std::chrono::seconds(5));
  state.apply(driver);
  state.apply(other);
  const auto arrived = [&](std::uint32_t job) { return state.snapshot().jobs[JobId(job)].whole.arrived; };
  state.advance(TimePoint(std::chrono::seconds(7)));
  ASSERT_TRUE(state.assume({TaskId(1), NodeId(0), {}, {}}));
  EXPECT_EQ(arrived(0), TimePoint(std::chrono::seconds(5)));
  ASSERT_TRUE(state.assume({TaskId(0), NodeId(0), {}, {}}));
  for (const std::uint32_t job : {0u, 1u}) EXPECT_EQ(arrived(job), TimePoint(std::chrono::seconds(7)));
}

TEST(WholeJob, MapsThatEndedBeforeTheFirstPartCameCount) {
  ClusterState state(three_zones());
  JobArrived reduces = part_of(WholeJobId(0), 0, 1);
  reduces.job.whole.maps = 4;
  reduces.job.whole.reduces = 4;
  reduces.maps_before = {1, 3, 0};
  state.apply(reduces);
  EXPECT_EQ(state.snapshot().jobs[JobId(0)].map_output, (std::vector{Mebibytes(256), Mebibytes(768), Mebibytes(0)}));
  const Bill bill =
      task_bill(state.snapshot(), costs, state.snapshot().tasks[TaskId(0)], {TaskId(0), NodeId(1), {}, {}});
  EXPECT_NEAR(bill.shuffle.value(), 256 * 0.01 / 4, 1e-12);
}

// The shuffle's money must not hang on how the pods of a job came: in one listing, one by one, in any order.
class Arrivals : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Arrivals, CostTheSameInAnyOrderAndGrouping) {
  Random random(GetParam());
  for (int round = 0; round < 50; ++round) {
    const auto maps = 1 + static_cast<std::uint32_t>(random.below(5)),
               reduces = 1 + static_cast<std::uint32_t>(random.below(5));
    std::vector<NodeId> map_node(maps), reduce_node(reduces);
    for (NodeId& node : map_node) node = NodeId(static_cast<std::uint32_t>(random.below(zones)));
    for (NodeId& node : reduce_node) node = NodeId(static_cast<std::uint32_t>(random.below(zones)));
    Usd expected;
    for (const NodeId from : map_node)
      for (const NodeId to : reduce_node)
        expected += Mebibytes(1024.0 / maps / reduces) * costs.transfer(ZoneId(from.index()), ZoneId(to.index()));

    std::vector<std::uint32_t> order(maps + reduces);  // maps, then reduces
    std::iota(order.begin(), order.end(), 0u);
    random.shuffle(std::span(order));
    ClusterState state(three_zones());
    std::vector<TaskId> task(maps + reduces);
    std::uint32_t told = 0;
    for (std::size_t first = 0; first < order.size();) {
      const std::size_t count = std::min(order.size() - first, 1 + random.below(4));
      std::vector<std::uint32_t> batch(order.begin() + static_cast<std::ptrdiff_t>(first),
                                       order.begin() + static_cast<std::ptrdiff_t>(first + count));
      std::sort(batch.begin(), batch.end());
      const auto own_maps = static_cast<std::uint32_t>(
          std::count_if(batch.begin(), batch.end(), [&](std::uint32_t i) { return i < maps; }));
      JobArrived part = part_of(WholeJobId(0), own_maps, static_cast<std::uint32_t>(count) - own_maps);
      part.job.whole.maps = maps, part.job.whole.reduces = reduces;
      state.apply(part);
      for (const std::uint32_t i : batch) task[i] = TaskId(told++);
      first += count;
      for (std::uint32_t i = 0; i < maps; ++i)  // some run before the others have come
        if (task[i].valid() && state.snapshot().tasks[task[i]].state == TaskState::pending && random.below(2))
          run(state, task[i], map_node[i]);
    }
    for (std::uint32_t i = 0; i < maps; ++i)
      if (state.snapshot().tasks[task[i]].state == TaskState::pending) run(state, task[i], map_node[i]);
    Usd paid;
    for (std::uint32_t i = 0; i < reduces; ++i) {
      const Task& reduce = state.snapshot().tasks[task[maps + i]];
      ASSERT_EQ(reduce.state, TaskState::pending);
      paid += task_bill(state.snapshot(), costs, reduce, {task[maps + i], reduce_node[i], {}, {}}).shuffle;
    }
    EXPECT_NEAR(paid.value(), expected.value(), 1e-9) << "seed " << GetParam() << " round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Arrivals, ::testing::Range<std::uint64_t>(1, 11));

TEST(WholeJob, NobodyElseIsAwaitedOnceNoMorePeersCome) {
  ClusterState state(three_zones());
  const auto add = [&](std::uint32_t expected) {
    JobArrived part = part_of(WholeJobId(1), 2, 0);
    part.job.whole.peers = true;
    part.job.whole.expected = expected;
    state.apply(part);
  };
  const auto expected = [&] {
    std::vector<std::uint32_t> result;
    for (const Job& job : state.snapshot().jobs) result.push_back(job.whole.expected);
    return result;
  };
  state.apply(NoMorePeers{WholeJobId(1)});
  add(5);
  add(4);
  EXPECT_EQ(expected(), (std::vector<std::uint32_t>{5, 5})) << "nobody knew it when no more came";
  state.apply(NoMorePeers{WholeJobId(0)});
  state.apply(NoMorePeers{WholeJobId(7)});
  EXPECT_EQ(expected(), (std::vector<std::uint32_t>{5, 5})) << "of other jobs";
  state.apply(NoMorePeers{WholeJobId(1)});
  EXPECT_EQ(expected(), (std::vector<std::uint32_t>{0, 0}));
  add(6);
  EXPECT_EQ(expected(), (std::vector<std::uint32_t>{6, 6, 6})) << "such as when a suspended Job goes on";
}

// Maps arrive, end and are withdrawn in any order, and others are missing, at any time.
TEST(WholeJob, ReducesWaitForMapsThatAreMissing) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    ClusterState state(three_zones());
    state.apply(part_of(WholeJobId(0), 0, 2));
    std::uint32_t missing = 0;
    std::vector<TaskId> open;
    for (int step = 0; step < 60; ++step) {
      const std::uint64_t what = random.below(4);
      if (what == 0) {
        missing = static_cast<std::uint32_t>(random.below(3));
        state.apply(MapsMissing{WholeJobId(0), missing});
      } else if (what == 1) {
        open.emplace_back(static_cast<std::uint32_t>(state.snapshot().tasks.size()));
        state.apply(part_of(WholeJobId(0), 1, 0));
      } else if (!open.empty()) {
        const std::size_t which = random.below(open.size());
        const TaskId map = open[which];
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
        if (what == 2)
          run(state, map, NodeId(static_cast<std::uint32_t>(random.below(zones))));
        else
          state.apply(TaskWithdrawn{map});
      }
      const TaskState expected = open.size() + missing == 0 ? TaskState::pending : TaskState::blocked;
      EXPECT_EQ(state_of(state, 0), expected);
      EXPECT_EQ(state_of(state, 1), expected);
    }
    state.apply(MapsMissing{WholeJobId(7), 3});  // no part of that job has arrived
  }
}

}  // namespace
}  // namespace lips
