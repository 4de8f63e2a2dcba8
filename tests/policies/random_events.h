// The events that may happen to a cluster of random_cluster.h, in any order. Equal seeds, equal events.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/cluster_state.h"
#include "tests/policies/random_cluster.h"

namespace lips::testing {

class RandomEvents {
 public:
  RandomEvents(std::uint64_t seed, ClusterState& state) : random_(seed), state_(state) {}

  void next() {
    const ClusterSnapshot& cluster = state_.snapshot();
    clock_ += random_.uniform();
    state_.advance(TimePoint(seconds(clock_)));
    switch (random_.below(15)) {
      case 0:
        return state_.apply(job(cluster, random_job(random_, shape_, clock_ + 3 * random_.uniform())));
      case 1:
        return state_.apply(NodeLost{node(), random_.below(3) == 0});
      case 2:
        return state_.apply(NodeBack{node()});
      case 3:
        return change_replicas(true);
      case 4:
        return change_replicas(false);
      case 5:
        return change_node();
      case 6:
        return on_running([&](const RunningTask& run) { state_.apply(TaskLost{run.task}); });
      case 7:
        return on_running([&](const RunningTask& run) { state_.apply(TaskStarted{run.task, run.node}); });
      case 8:
      case 9:
        return on_running([&](const RunningTask& run) { state_.apply(TaskFinished{run.task, run.node}); });
      case 10:
        return find();
      case 11:
        return on_running(
            [&](const RunningTask& run) { run.task.index() % 2 == 0 ? await_nobody(run.task) : miss_maps(run.task); });
      case 12:
        return learn();
      default:
        return assume();
    }
  }

 private:
  template <class Apply>
  void on_running(Apply apply) {
    const std::vector<RunningTask>& running = state_.snapshot().running;
    if (running.empty()) return;
    const RunningTask chosen = running[random_.below(running.size())];
    apply(chosen);
  }
  void change_replicas(bool added) {
    const BlockId first = block();
    const auto left = static_cast<std::uint32_t>(state_.snapshot().blocks.size()) - first.index();
    const auto run = static_cast<std::uint32_t>(1 + random_.below(std::min(left, 5u)));
    if (added)
      state_.apply(ReplicaAdded{first, {store(), random_.below(3) == 0, {}}, run});
    else
      state_.apply(ReplicaRemoved{first, store(), run});
  }
  void change_node() {
    const NodeId id = node();
    Node changed = state_.snapshot().nodes[id];
    changed.capacity.slots = 1 + static_cast<std::int32_t>(random_.below(5));
    changed.others = {Cores(random_.uniform()), Mebibytes(100), 1};
    state_.apply(NodeChanged{id, changed});
  }
  void await_nobody(TaskId task) {
    if (const WholeJobId whole = state_.snapshot().jobs[state_.snapshot().tasks[task].job].whole.id; whole.valid())
      state_.apply(NoMorePeers{whole});
  }
  void miss_maps(TaskId task) {
    if (const WholeJobId whole = state_.snapshot().jobs[state_.snapshot().tasks[task].job].whole.id; whole.valid())
      state_.apply(MapsMissing{whole, static_cast<std::uint32_t>(random_.below(4))});
  }
  // Some tasks of a job need other work, half of the time all the same.
  void learn() {
    if (state_.snapshot().jobs.empty()) return;
    const Job& job =
        state_.snapshot().jobs[JobId(static_cast<std::uint32_t>(random_.below(state_.snapshot().jobs.size())))];
    const double work = 1 + 100 * random_.uniform();
    const bool alike = random_.below(2) == 0;
    WorkLearned learned;
    for (std::uint32_t i = 0; i < job.tasks(); ++i)
      if (random_.below(4) != 0)
        learned.tasks.emplace_back(TaskId(job.first_task.index() + i),
                                   CpuSeconds(alike ? work : work * random_.uniform()));
    state_.apply(learned);
  }
  void find() {
    if (state_.snapshot().tasks.empty()) return;
    const TaskId task(static_cast<std::uint32_t>(random_.below(state_.snapshot().tasks.size())));
    if (state_.snapshot().tasks[task].state != TaskState::blocked)
      state_.apply(TaskFound{task, node(), state_.snapshot().now});
  }
  void assume() {
    if (state_.snapshot().tasks.empty()) return;
    for (int tries = 0; tries < 5; ++tries) {
      const TaskId task(static_cast<std::uint32_t>(random_.below(state_.snapshot().tasks.size())));
      const NodeId where = node();
      const StoreId from =
          nearest_replica(state_.snapshot(), CostModel{}, state_.snapshot().tasks[task].block, where).store;
      state_.assume({task, where, from, {}});
    }
  }
  NodeId node() { return NodeId(static_cast<std::uint32_t>(random_.below(state_.snapshot().nodes.size()))); }
  BlockId block() { return BlockId(static_cast<std::uint32_t>(random_.below(state_.snapshot().blocks.size()))); }
  StoreId store() { return StoreId(static_cast<std::uint32_t>(random_.below(state_.snapshot().stores.size()))); }

  Random random_;
  ClusterState& state_;
  RandomShape shape_;
  double clock_ = 100;
};

}  // namespace lips::testing
