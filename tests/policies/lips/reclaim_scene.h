// Pools of which one waits while tasks hold all room: scenes of tasks that are taken back.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/validate_plan.h"
#include "tests/policies/case.h"

namespace lips::testing {

inline PolicySettings impatient() {
  PolicySettings settings;
  settings.lips.waiting_price = 1000;
  return settings;
}

// One pool waits, the others hold everything. Times in seconds, prices by the second.
struct Held {
  explicit Held(std::uint32_t others = 1, double weight = 1) {
    owner = PoolId(0);
    for (std::uint32_t i = 0; i < others; ++i) borrowers.push_back(builder.pool(weight));
    builder.start.pools[owner].reclaim = ReclaimRule::from_borrowers;
  }
  NodeId node(double cores, double price = 1e-5) {
    const NodeId id = builder.node({.price = price, .slots = 100, .cpu = cores, .memory = cores * 4096});
    builder.start.nodes[id].price = UsdPerHour(price * 3600 * cores);
    return id;
  }
  void begin() {
    with.emplace("lips", builder, impatient());
    with->at(now);
  }
  // Jobs that come from now on have that priority.
  Held& at_priority(std::int32_t higher, bool takes_room = true) {
    priority = higher, preempts = takes_room;
    return *this;
  }
  // A job of which each task has run for so long.
  JobId runs(PoolId pool, double cores, double seconds, const std::vector<NodeId>& nodes, std::uint32_t gang = 0) {
    JobArrived arrived =
        job(with->state.snapshot(),
            {.pool = pool, .maps = static_cast<int>(nodes.size()), .cpu = cores * 1e5, .cores = cores, .memory = 1});
    if (gang > 0) make_gang(arrived, gang);
    arrived.job.priority = priority, arrived.job.preempts = preempts;
    with->state.apply(arrived);
    const JobId id(static_cast<std::uint32_t>(with->state.snapshot().jobs.size() - 1));
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
      with->state.apply(TaskFound{with->task(id, i), nodes[i], TimePoint(lips::seconds(now - seconds))});
    return id;
  }
  JobId waits(PoolId pool, double cores, int tasks, std::uint32_t gang = 0) {
    JobArrived arrived =
        job(with->state.snapshot(), {.pool = pool, .maps = tasks, .cpu = cores * 1e4, .cores = cores, .memory = 1});
    if (gang > 0) make_gang(arrived, gang);
    arrived.job.priority = priority, arrived.job.preempts = preempts;
    with->state.apply(arrived);
    return JobId(static_cast<std::uint32_t>(with->state.snapshot().jobs.size() - 1));
  }
  void make_gang(JobArrived& arrived, std::uint32_t gang) const {
    WholeJob& whole = arrived.job.whole;
    whole.id = WholeJobId(static_cast<std::uint32_t>(with->state.snapshot().jobs.size()));
    whole.peers = true;
    whole.maps = whole.expected = arrived.job.map_tasks;
    whole.gang = gang;
    whole.each = arrived.job.request;
    whole.arrived = arrived.job.arrival;
  }
  Plan plan() {
    const Plan made = with->plan();
    EXPECT_EQ(validate_plan(with->state.snapshot(), made), std::vector<std::string>());
    return made;
  }
  std::set<TaskId> taken(const Plan& plan) const {
    std::set<TaskId> tasks;
    for (const Reclaim& reclaim : plan.reclaims) tasks.insert(reclaim.task);
    return tasks;
  }

  static constexpr double now = 50'000;
  ClusterBuilder builder{1};
  PoolId owner;
  std::vector<PoolId> borrowers;
  std::int32_t priority = 0;
  bool preempts = true;
  std::optional<Case> with;
};

}  // namespace lips::testing
