#include "model/cluster_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/policies/random_events.h"

namespace lips::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<TaskId> chain(const ClusterSnapshot& cluster, const TaskGroup& group) {
  std::vector<TaskId> tasks;
  for (TaskId task : cluster.tasks_of(group)) tasks.push_back(task);
  return tasks;
}

// Counts everything that the state keeps incrementally once more, from the tasks alone.
class Recount {
 public:
  explicit Recount(const ClusterSnapshot& cluster) : cluster_(cluster) {}

  void check() const {
    check_tasks();
    check_chains();
    check_jobs();
    check_nodes_and_pools();
    check_blocks();
    check_locality();
  }

 private:
  bool occupies(TaskId id) const {
    return cluster_.tasks[id].state == TaskState::bound || cluster_.tasks[id].state == TaskState::running;
  }

  void check_tasks() const {
    std::set<TaskId> running;
    for (const RunningTask& run : cluster_.running) {
      EXPECT_TRUE(running.insert(run.task).second);
      EXPECT_TRUE(occupies(run.task));
      EXPECT_EQ(cluster_.tasks[run.task].node, run.node);
      EXPECT_EQ(cluster_.tasks[run.task].job, run.job);
    }
    std::size_t occupying = 0, pending = 0;
    for (TaskId task : cluster_.tasks.ids()) {
      occupying += occupies(task);
      pending += cluster_.tasks[task].state == TaskState::pending;
    }
    EXPECT_EQ(running.size(), occupying);
    EXPECT_EQ(cluster_.pending_tasks, pending);
  }

  void check_chains() const {
    std::set<TaskId> linked;
    for (JobId job : cluster_.jobs.ids())
      for (std::uint32_t index = 0; index < cluster_.groups[job].size(); ++index) {
        const TaskGroup& group = cluster_.groups[job][index];
        TaskId before;
        for (TaskId id : chain(cluster_, group)) {
          const Task& task = cluster_.tasks[id];
          EXPECT_TRUE(linked.insert(id).second);
          EXPECT_EQ(task.state, TaskState::pending);
          EXPECT_EQ(task.job, job);
          EXPECT_EQ(task.group, index);
          EXPECT_EQ(task.previous_pending, before);
          EXPECT_EQ(task.kind, group.kind);
          EXPECT_EQ(task.cpu, group.cpu);
          EXPECT_EQ(task.input, group.input);
          EXPECT_EQ(task.block.valid(), group.reads);
          if (task.block.valid()) {
            EXPECT_EQ(cluster_.blocks[task.block].zones, group.zones);
          }
          before = id;
        }
        EXPECT_EQ(group.last, before);
        EXPECT_EQ(group.count, chain(cluster_, group).size());
      }
    EXPECT_EQ(linked.size(), cluster_.pending_tasks);
  }

  void check_jobs() const {
    std::vector<JobId> pending;
    for (JobId id : cluster_.jobs.ids()) {
      const Job& job = cluster_.jobs[id];
      std::map<TaskState, std::uint32_t> count;
      std::uint32_t maps = 0, reduces = 0;
      double work = 0, all_work = 0, output = 0;
      for (std::uint32_t i = 0; i < job.tasks(); ++i) {
        const Task& task = cluster_.tasks[TaskId(job.first_task.index() + i)];
        ++count[task.state];
        all_work += task.cpu.value();
        if (task.state == TaskState::pending) work += task.cpu.value();
        if (task.state == TaskState::finished) ++(i < job.map_tasks ? maps : reduces);
        if (i >= job.map_tasks) {
          EXPECT_EQ(task.state == TaskState::blocked, job.finished_maps < job.map_tasks);
        }
      }
      EXPECT_EQ(job.pending, count[TaskState::pending]);
      EXPECT_NEAR(job.pending_work.value(), work, 1e-6);
      EXPECT_NEAR(job.work.value(), all_work, 1e-6);
      EXPECT_EQ(job.running, count[TaskState::bound] + count[TaskState::running]);
      EXPECT_EQ(job.finished_maps, maps);
      EXPECT_EQ(job.finished_reduces, reduces);
      for (Mebibytes part : job.map_output) output += part.value();
      if (!job.map_output.empty()) {
        EXPECT_NEAR(output, job.shuffle.value() * maps / job.map_tasks, 1e-6);
      }
      if (job.pending > 0) pending.push_back(id);
    }
    std::stable_sort(pending.begin(), pending.end(),
                     [&](JobId a, JobId b) { return cluster_.jobs[a].arrival < cluster_.jobs[b].arrival; });
    EXPECT_EQ(cluster_.pending, pending);
  }

  void check_nodes_and_pools() const {
    IdVector<NodeId, Resources> used(cluster_.nodes.size(), Resources{Cores(0), Mebibytes(0), 0});
    IdVector<PoolId, double> cores(cluster_.pools.size());
    for (TaskId id : cluster_.tasks.ids()) {
      if (!occupies(id)) continue;
      const Job& job = cluster_.jobs[cluster_.tasks[id].job];
      used[cluster_.tasks[id].node] = used[cluster_.tasks[id].node] + job.request;
      cores[job.pool] += job.request.cpu.value();
    }
    for (NodeId node : cluster_.nodes.ids()) {
      const Resources free = cluster_.nodes[node].capacity - cluster_.nodes[node].others - used[node];
      EXPECT_NEAR(cluster_.free[node].cpu.value(), free.cpu.value(), 1e-6);
      EXPECT_NEAR(cluster_.free[node].memory.value(), free.memory.value(), 1e-6);
      EXPECT_EQ(cluster_.free[node].slots, free.slots);
    }
    for (PoolId pool : cluster_.pools.ids()) EXPECT_NEAR(cluster_.pool_cores[pool].value(), cores[pool], 1e-6);
  }

  void check_blocks() const {
    IdVector<StoreId, double> used(cluster_.stores.size());
    for (const Block& block : cluster_.blocks) {
      ZoneSet zones;
      for (const Replica& replica : block.replicas) {
        zones.insert(cluster_.stores[replica.store].zone);
        used[replica.store] += block.size.value();
      }
      EXPECT_EQ(block.zones, zones);
      EXPECT_TRUE(std::is_sorted(block.replicas.begin(), block.replicas.end(),
                                 [](const Replica& a, const Replica& b) { return a.store < b.store; }));
    }
    for (StoreId store : cluster_.stores.ids()) EXPECT_NEAR(cluster_.stores[store].used.value(), used[store], 1e-6);
  }

  void check_locality() const {
    for (TaskId id : cluster_.tasks.ids()) {
      const Task& task = cluster_.tasks[id];
      if (task.state != TaskState::pending || !task.block.valid()) continue;
      for (const Replica& replica : cluster_.blocks[task.block].replicas) {
        const NodeId node = cluster_.stores[replica.store].node;
        if (!node.valid()) continue;
        EXPECT_FALSE(cluster_.locality[task.job].visit(node, [&](TaskId local) { return local != id; }))
            << "task " << id.index() << " is not known to be local to node " << node.index();
      }
    }
  }

  const ClusterSnapshot& cluster_;
};

TEST(ClusterState, KeepsItsCountsUnderRandomEvents) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ClusterState state = random_state(seed);
    RandomEvents events(derive_seed(seed, 1), state);
    for (int i = 0; i < 300 && !HasFailure(); ++i) {
      SCOPED_TRACE("event " + std::to_string(i));
      events.next();
      if (i % 10 == 0) Recount(state.snapshot()).check();
    }
    if (HasFailure()) return;
  }
}

// Two states of one cluster: one was told at first what the other learned while tasks waited, ran and ended.
class Learned {
 public:
  explicit Learned(std::uint64_t seed) : random_(seed), told_(random_state(seed)), learned_(random_state(seed)) {
    for (int i = 0; i < 4; ++i) arrive();
    for (int i = 0; i < 60; ++i) happen();
    learned_.apply(all_);
  }
  void compare() const {
    const ClusterSnapshot &told = told_.snapshot(), &learned = learned_.snapshot();
    for (TaskId task : told.tasks.ids()) {
      EXPECT_EQ(told.tasks[task].state, learned.tasks[task].state);
      if (told.tasks[task].state != TaskState::finished) {
        EXPECT_EQ(told.tasks[task].cpu, learned.tasks[task].cpu);
      }
    }
    for (JobId job : told.jobs.ids()) {
      EXPECT_NEAR(told.jobs[job].pending_work.value(), learned.jobs[job].pending_work.value(), 1e-6);
      EXPECT_EQ(groups_of(told, job), groups_of(learned, job));
    }
    for (const WholeJobId whole : {WholeJobId(0), WholeJobId(1)}) {
      EXPECT_NEAR(work_left(told, whole), work_left(learned, whole), 1e-6);
    }
    ASSERT_EQ(told.running.size(), learned.running.size());
    for (std::size_t i = 0; i < told.running.size(); ++i)
      EXPECT_NEAR(end_of(told, told.running[i].task), end_of(learned, told.running[i].task), 1e-3);
  }

 private:
  void arrive() {
    JobArrived arrived = job(told_.snapshot(), {.maps = 6, .reduces = 2, .cores = 0.1, .memory = 1});
    arrived.job.whole.id = WholeJobId(static_cast<std::uint32_t>(random_.below(2)));
    learned_.apply(arrived);
    for (Task& task : arrived.tasks) {
      task.cpu = CpuSeconds(1 + 50 * random_.uniform());
      all_.tasks.emplace_back(TaskId(next_++), task.cpu);
    }
    told_.apply(arrived);
  }
  void happen() {
    const TaskId task(first_ + static_cast<std::uint32_t>(random_.below(next_ - first_)));
    const NodeId node(static_cast<std::uint32_t>(random_.below(told_.snapshot().nodes.size())));
    const bool ends = random_.below(3) == 0;
    for (ClusterState* state : {&told_, &learned_}) {
      if (ends)
        state->apply(TaskFinished{task, state->snapshot().tasks[task].node});
      else
        state->apply(TaskFound{task, node, state->snapshot().now});
    }
  }
  using Groups = std::multiset<std::tuple<TaskKind, double, double, std::uint32_t>>;
  static Groups groups_of(const ClusterSnapshot& cluster, JobId job) {
    Groups groups;
    for (const TaskGroup& group : cluster.groups[job])
      if (group.count > 0) groups.emplace(group.kind, group.cpu.value(), group.input.value(), group.count);
    return groups;
  }
  // The work of all tasks of the whole job that have not ended, by its sum and by those that have.
  static double work_left(const ClusterSnapshot& cluster, WholeJobId whole) {
    double work = 0;
    for (JobId id : cluster.jobs.ids()) {
      const Job& part = cluster.jobs[id];
      if (part.whole.id != whole || part.finished()) continue;
      work = part.whole.work.value();
      for (TaskId task : cluster.tasks.ids())
        if (cluster.jobs[cluster.tasks[task].job].whole.id == whole && cluster.tasks[task].state == TaskState::finished)
          work -= cluster.tasks[task].cpu.value();
      return work;
    }
    return work;
  }
  static double end_of(const ClusterSnapshot& cluster, TaskId task) {
    for (const RunningTask& run : cluster.running)
      if (run.task == task) return to_seconds(run.expected_end.time_since_epoch());
    return -1;
  }

  Random random_;
  ClusterState told_, learned_;
  WorkLearned all_;
  std::uint32_t first_ = static_cast<std::uint32_t>(told_.snapshot().tasks.size()), next_ = first_;
};

TEST(ClusterState, WorkThatIsLearnedIsAsIfItHadBeenSaidAtFirst) {
  for (std::uint64_t seed = 1; seed <= 100 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Learned(seed).compare();
  }
}

TEST(ClusterState, NeverOvercommitsANodeWhoseCapacityStays) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ClusterState state = random_state(seed);
    Random random(seed);
    for (int i = 0; i < 500; ++i) {
      const TaskId task(static_cast<std::uint32_t>(random.below(state.snapshot().tasks.size())));
      const NodeId node(static_cast<std::uint32_t>(random.below(state.snapshot().nodes.size())));
      state.assume({task, node, {}, {}});
    }
    for (const Resources& free : state.snapshot().free) {
      EXPECT_GE(free.cpu.value(), -1e-6);
      EXPECT_GE(free.memory.value(), -1e-6);
      EXPECT_GE(free.slots, 0);
    }
  }
}

// One node with two slots, a job of three maps and one reduce.
struct Small {
  ClusterBuilder builder{2};
  NodeId node = builder.node(), other = builder.node({.zone = ZoneId(1)});
  BlockId block = builder.block({node});
};

TEST(ClusterState, TakesRoomForAnAssumedTaskAndGivesItBack) {
  Small small;
  ClusterState state(small.builder.start);
  state.apply(job(state.snapshot(), {.maps = 1, .cores = 1.5, .memory = 96}));
  ASSERT_TRUE(state.assume({TaskId(0), small.node, {}, {}}));
  EXPECT_EQ(state.snapshot().free[small.node], (Resources{Cores(0.5), Mebibytes(4000), 1}));
  state.apply(TaskLost{TaskId(0)});
  EXPECT_EQ(state.snapshot().free[small.node], state.snapshot().nodes[small.node].capacity);
  EXPECT_EQ(state.snapshot().tasks[TaskId(0)].state, TaskState::pending);
}

TEST(ClusterState, RefusesWhatIsNotPendingDoesNotFitOrGoesToACordonedNode) {
  Small small;
  ClusterState state(small.builder.start);
  state.apply(job(state.snapshot(), {.maps = 3, .reduces = 1}));
  EXPECT_FALSE(state.assume({TaskId(3), small.node, {}, {}})) << "a reduce before its maps";
  EXPECT_TRUE(state.assume({TaskId(0), small.node, {}, {}}));
  EXPECT_FALSE(state.assume({TaskId(0), small.node, {}, {}})) << "twice";
  EXPECT_TRUE(state.assume({TaskId(1), small.node, {}, {}}));
  EXPECT_FALSE(state.assume({TaskId(2), small.node, {}, {}})) << "full";
  state.apply(NodeLost{small.other});
  EXPECT_FALSE(state.assume({TaskId(2), small.other, {}, {}})) << "lost";
  state.apply(NodeBack{small.other});
  EXPECT_TRUE(state.assume({TaskId(2), small.other, {}, {}}));
}

TEST(ClusterState, BelievesTheClusterOverWhatWasAssumed) {
  Small small;
  ClusterState state(small.builder.start);
  state.apply(job(state.snapshot(), {.maps = 2, .cores = 1.5, .memory = 96}));
  ASSERT_TRUE(state.assume({TaskId(0), small.node, {}, {}}));
  state.apply(TaskFound{TaskId(0), small.other, TimePoint{}});
  EXPECT_EQ(state.snapshot().free[small.node], state.snapshot().nodes[small.node].capacity);
  EXPECT_EQ(state.snapshot().tasks[TaskId(0)].node, small.other);
  state.apply(TaskFound{TaskId(1), small.other, TimePoint{}});  // was pending, and does not fit
  EXPECT_EQ(state.snapshot().free[small.other].cpu, Cores(-1));
  EXPECT_EQ(state.snapshot().pending_tasks, 0u);
  Recount(state.snapshot()).check();
}

TEST(ClusterState, WithdrawsTasksInAnyState) {
  Small small;
  ClusterState state(small.builder.start);
  state.apply(job(state.snapshot(), {.maps = 3}));
  ASSERT_TRUE(state.assume({TaskId(0), small.node, {}, {}}));
  for (std::uint32_t task : {0u, 1u, 1u, 2u}) state.apply(TaskWithdrawn{TaskId(task)});
  EXPECT_EQ(state.snapshot().free[small.node], state.snapshot().nodes[small.node].capacity);
  EXPECT_TRUE(state.snapshot().jobs[JobId(0)].finished());
  EXPECT_THAT(state.snapshot().pending, IsEmpty());
  EXPECT_THAT(state.snapshot().running, IsEmpty());
}

TEST(ClusterState, BeginsAnewAndCountsWhatOthersUse) {
  Small small;
  ClusterState state(small.builder.start);
  state.apply(job(state.snapshot(), {.maps = 3}));
  state.advance(TimePoint(seconds(50)));
  auto start = std::make_shared<ClusterSnapshot>(small.builder.start);
  start->nodes[small.node].others = {Cores(1.5), Mebibytes(0), 1};
  state.apply(ClusterListed{start, CostModel{}});
  EXPECT_EQ(state.snapshot().now, TimePoint(seconds(50)));
  EXPECT_TRUE(state.snapshot().jobs.empty());
  EXPECT_EQ(state.snapshot().free[small.node].cpu, Cores(0.5));
  state.apply(PoolAdded{{"late", 2, {}, {}, {}}});
  state.apply(ConstraintAdded{{}});
  state.apply(job(state.snapshot(), {.maps = 1, .cores = 1}));
  EXPECT_FALSE(state.assume({TaskId(0), small.node, {}, {}})) << "others have the room";
  EXPECT_TRUE(state.assume({TaskId(0), small.other, {}, {}}));
}

TEST(ClusterState, ReleasesReducesAfterTheLastMap) {
  Small small;
  ClusterState state(small.builder.start);
  state.apply(job(state.snapshot(), {.maps = 2, .reduces = 2, .shuffle = 100}));
  state.assume({TaskId(0), small.node, {}, {}});
  state.assume({TaskId(1), small.other, {}, {}});
  state.apply(TaskFinished{TaskId(0), small.node});
  EXPECT_EQ(state.snapshot().pending_tasks, 0u);
  EXPECT_THAT(state.snapshot().pending, IsEmpty());
  state.apply(TaskFinished{TaskId(1), small.other});
  EXPECT_THAT(tasks_in(state.snapshot(), TaskState::pending), ElementsAre(TaskId(2), TaskId(3)));
  EXPECT_THAT(state.snapshot().pending, ElementsAre(JobId(0)));
  EXPECT_THAT(state.snapshot().jobs[JobId(0)].map_output, ElementsAre(Mebibytes(50), Mebibytes(50)));
}

TEST(ClusterState, BeginsWithReducesWhenThereAreNoMaps) {
  Small small;
  ClusterState state(small.builder.start);
  state.apply(job(state.snapshot(), {.reduces = 2}));
  EXPECT_EQ(state.snapshot().pending_tasks, 2u);
}

TEST(ClusterState, NotesWhenAJobIsComplete) {
  Small small;
  ClusterState state(small.builder.start);
  state.apply(job(state.snapshot(), {.maps = 1}));
  state.assume({TaskId(0), small.node, {}, {}});
  state.advance(TimePoint(seconds(42)));
  state.apply(TaskFinished{TaskId(0), small.node});
  EXPECT_TRUE(state.snapshot().jobs[JobId(0)].finished());
  EXPECT_EQ(state.snapshot().jobs[JobId(0)].completed, TimePoint(seconds(42)));
}

TEST(ClusterState, OrdersAGroupByIdAndWhatCameBackLast) {
  Small small;
  ClusterState state(small.builder.start);
  state.apply(job(state.snapshot(), {.maps = 3}));
  const TaskGroup& group = state.snapshot().groups[JobId(0)][0];
  EXPECT_THAT(chain(state.snapshot(), group), ElementsAre(TaskId(0), TaskId(1), TaskId(2)));
  state.assume({TaskId(0), small.node, {}, {}});
  state.apply(TaskLost{TaskId(0)});
  EXPECT_THAT(chain(state.snapshot(), state.snapshot().groups[JobId(0)][0]),
              ElementsAre(TaskId(1), TaskId(2), TaskId(0)));
}

TEST(ClusterState, GroupsReadersAnewWhenAZoneGainsOrLosesAReplica) {
  Small small;
  const BlockId same = small.builder.block({small.node});
  ClusterState state(small.builder.start);
  state.apply(job(state.snapshot(), {.blocks = {small.block, same}}));
  const std::uint32_t before = state.snapshot().tasks[TaskId(0)].group;
  EXPECT_EQ(state.snapshot().tasks[TaskId(1)].group, before);
  const StoreId copy = state.snapshot().node_store[small.other];
  state.apply(ReplicaAdded{small.block, {copy, true, {}}});
  EXPECT_NE(state.snapshot().tasks[TaskId(0)].group, before);
  EXPECT_EQ(state.snapshot().groups[JobId(0)][state.snapshot().tasks[TaskId(0)].group].zones.size(), 2);
  state.apply(ReplicaRemoved{small.block, copy});
  EXPECT_EQ(state.snapshot().tasks[TaskId(0)].group, before);
}

TEST(ClusterState, TakesReplicasOfARunOfBlocksAsIfEachHadComeAlone) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ClusterState at_once = random_state(seed), alone = random_state(seed);
    const ClusterSnapshot& cluster = alone.snapshot();
    Random random(derive_seed(seed, 2));
    for (int i = 0; i < 40; ++i) {
      const auto first = static_cast<std::uint32_t>(random.below(cluster.blocks.size()));
      const auto run = static_cast<std::uint32_t>(1 + random.below(cluster.blocks.size() - first));
      const StoreId store(static_cast<std::uint32_t>(random.below(cluster.stores.size())));
      const bool added = random.below(2) == 0;
      const Replica replica{store, random.below(2) == 0, {}};
      for (std::uint32_t block = first; block < first + run; ++block)
        if (added)
          alone.apply(ReplicaAdded{BlockId(block), replica});
        else
          alone.apply(ReplicaRemoved{BlockId(block), store});
      if (added)
        at_once.apply(ReplicaAdded{BlockId(first), replica, run});
      else
        at_once.apply(ReplicaRemoved{BlockId(first), store, run});
    }
    EXPECT_EQ(at_once.snapshot().extra_copies, cluster.extra_copies);
    for (const BlockId block : cluster.blocks.ids())
      EXPECT_EQ(at_once.snapshot().blocks[block].replicas, cluster.blocks[block].replicas);
    Recount(at_once.snapshot()).check();
    if (HasFailure()) return;
  }
}

TEST(ClusterState, LosesANodesDataWithItOnlyWhenToldSo) {
  Small small;
  ClusterState state(small.builder.start);
  state.apply(job(state.snapshot(), {.blocks = {small.block}}));
  state.assume({TaskId(0), small.node, state.snapshot().node_store[small.node], {}});
  state.apply(NodeLost{small.node, false});
  EXPECT_EQ(state.snapshot().tasks[TaskId(0)].state, TaskState::pending);
  EXPECT_EQ(state.snapshot().blocks[small.block].replicas.size(), 1u);
  state.apply(NodeLost{small.node, true});
  EXPECT_THAT(state.snapshot().blocks[small.block].replicas, IsEmpty());
  EXPECT_TRUE(state.snapshot().groups[JobId(0)][state.snapshot().tasks[TaskId(0)].group].zones.empty());
}

TEST(ClusterState, IgnoresTheEndOfARunThatWasGivenUp) {
  Small small;
  ClusterState state(small.builder.start);
  state.apply(job(state.snapshot(), {.maps = 1}));
  state.assume({TaskId(0), small.node, {}, {}});
  state.apply(NodeLost{small.node});
  state.assume({TaskId(0), small.other, {}, {}});
  state.apply(TaskFinished{TaskId(0), small.node});
  EXPECT_EQ(state.snapshot().tasks[TaskId(0)].state, TaskState::bound);
  state.apply(TaskFinished{TaskId(0), small.other});
  EXPECT_EQ(state.snapshot().tasks[TaskId(0)].state, TaskState::finished);
}

TEST(ClusterState, KeepsWhatIsUsedWhenANodeChangesAndPricesItAnew) {
  Small small;
  ClusterState state(small.builder.start);
  state.apply(job(state.snapshot(), {.maps = 1, .cores = 1, .memory = 0}));
  state.assume({TaskId(0), small.node, {}, {}});
  Node larger = state.snapshot().nodes[small.node];
  larger.capacity = {Cores(8), Mebibytes(8192), 4};
  larger.price = UsdPerHour(28.8);
  larger.cpu_price = {};
  state.apply(NodeChanged{small.node, larger});
  EXPECT_EQ(state.snapshot().free[small.node], (Resources{Cores(7), Mebibytes(8192), 3}));
  EXPECT_DOUBLE_EQ(state.snapshot().nodes[small.node].cpu_price.value(), 0.001);
}

TEST(ClusterState, RemembersTheLocalityOfTheLastLaunchAndWhenAReplicaWasRead) {
  Small small;
  ClusterState state(small.builder.start);
  state.apply(job(state.snapshot(), {.blocks = {small.block}}));
  state.advance(TimePoint(seconds(7)));
  state.assume({TaskId(0), small.other, state.snapshot().node_store[small.node], {}});
  EXPECT_EQ(state.snapshot().jobs[JobId(0)].memory.last_locality, Locality::remote);
  EXPECT_EQ(state.snapshot().blocks[small.block].replicas[0].last_read, TimePoint(seconds(7)));
}

TEST(ClusterState, TellsTasksWithoutInputFromTasksWhoseDataIsLost) {
  Small small;
  const BlockId lost = small.builder.block({}, 0);
  small.builder.start.blocks[lost].data_set = DataSetId::none();
  ClusterState state(small.builder.start);
  state.apply(job(state.snapshot(), {.blocks = {lost}, .maps = 1}));
  EXPECT_NE(state.snapshot().tasks[TaskId(0)].group, state.snapshot().tasks[TaskId(1)].group);
}

TEST(ClusterState, EndsAMoveOnce) {
  Small small;
  ClusterState state(small.builder.start);
  state.begin_move({MoveId(3), small.block, StoreId(0), StoreId(1)});
  state.begin_move({MoveId(4), small.block, StoreId(0), StoreId(1)});
  state.apply(MoveEnded{MoveId(3), false});
  ASSERT_EQ(state.snapshot().moves.size(), 1u);
  EXPECT_EQ(state.snapshot().moves[0].id, MoveId(4));
}

}  // namespace
}  // namespace lips::testing
