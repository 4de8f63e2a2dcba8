// The pieces that policies share while they make a plan: free capacity, unassigned tasks, nodes by price, the draft.
#include "policies/drafting/draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policies/drafting/cheapest_nodes.h"
#include "tests/policies/snapshot_builder.h"

namespace lips::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FreeCapacity, TakesFromItsOwnCountOnly) {
  ClusterBuilder builder;
  const NodeId node = builder.node({.slots = 2, .cpu = 2});
  ClusterState state(builder.start);
  state.apply(job(state.snapshot(), {.maps = 3}));
  FreeCapacity free(state.snapshot());
  const FreeCapacity::Kind kind = free.kind_of(state.snapshot().jobs[JobId(0)]);
  EXPECT_EQ(free.open_left(), 1u);
  free.take(kind, node);
  EXPECT_TRUE(free.can_take(kind, node));
  free.take(kind, node);
  EXPECT_FALSE(free.can_take(kind, node));
  EXPECT_EQ(free.open_left(), 0u);
  EXPECT_EQ(state.snapshot().free[node].slots, 2);
}

TEST(FreeCapacity, GivesJobsThatAskForTheSameOneKind) {
  ClusterBuilder builder;
  builder.node();
  builder.start.constraints.push_back({});
  ClusterState state(builder.start);
  for (const JobSpec& spec : {JobSpec{.maps = 1}, JobSpec{.maps = 2}, JobSpec{.maps = 1, .memory = 5},
                              JobSpec{.maps = 1, .constraint = ConstraintId(0)}, JobSpec{.maps = 1}})
    state.apply(job(state.snapshot(), spec));
  FreeCapacity free(state.snapshot());
  std::vector<FreeCapacity::Kind> kinds;
  for (const Job& each : state.snapshot().jobs) kinds.push_back(free.kind_of(each));
  EXPECT_THAT(kinds, ElementsAre(0, 0, 1, 2, 0));
}

TEST(FreeCapacity, KnowsTheZonesThatCouldEverTakeATask) {
  ClusterBuilder builder(3);
  builder.node({.cpu = 1});
  builder.node({.zone = ZoneId(1), .cpu = 8});
  builder.start.nodes[builder.node({.zone = ZoneId(2), .cpu = 8})].schedulable = false;
  ClusterState state(builder.start);
  state.apply(job(state.snapshot(), {.maps = 1, .cores = 4}));
  FreeCapacity free(state.snapshot());
  EXPECT_EQ(free.zones_that_could_take(free.kind_of(state.snapshot().jobs[JobId(0)])).bits(), 0b010u);
}

struct Readers {
  ClusterBuilder builder;
  NodeId holder = builder.node(), other = builder.node();
  BlockId a = builder.block({holder}), b = builder.block({holder}), c = builder.block({other});
};

TEST(Unassigned, FindsEachLocalTaskOnce) {
  Readers readers;
  ClusterState state(readers.builder.start);
  state.apply(job(state.snapshot(), {.blocks = {readers.a, readers.b, readers.c}}));
  Unassigned tasks(state.snapshot());
  EXPECT_EQ(tasks.on_node(JobId(0), readers.holder), TaskId(0));
  tasks.take(TaskId(0));
  EXPECT_EQ(tasks.on_node(JobId(0), readers.holder), TaskId(1));
  tasks.take(TaskId(1));
  EXPECT_FALSE(tasks.on_node(JobId(0), readers.holder).valid());
  EXPECT_EQ(tasks.anywhere(JobId(0)), TaskId(2));
  EXPECT_EQ(tasks.left(JobId(0)), 1u);
}

TEST(Unassigned, FindsALocalTaskAmongFewPendingOnes) {
  Readers readers;
  ClusterState state(readers.builder.start);
  state.apply(job(state.snapshot(), {.blocks = {readers.a, readers.b, readers.c}}));
  for (TaskId task : {TaskId(0), TaskId(2)}) {
    ASSERT_TRUE(state.assume({task, readers.holder, {}, {}}));
    state.apply(TaskFinished{task, readers.holder});
  }
  Unassigned tasks(state.snapshot());
  EXPECT_EQ(tasks.on_node(JobId(0), readers.holder), TaskId(1)) << "one is pending, two were local";
}

TEST(Unassigned, FollowsReplicasThatComeAndGo) {
  Readers readers;
  ClusterState state(readers.builder.start);
  state.apply(job(state.snapshot(), {.blocks = {readers.a, readers.b}}));
  const StoreId from = state.snapshot().node_store[readers.holder], to = state.snapshot().node_store[readers.other];
  state.apply(ReplicaAdded{readers.a, {to, false, {}}});
  state.apply(ReplicaRemoved{readers.a, from});
  Unassigned tasks(state.snapshot());
  EXPECT_EQ(tasks.on_node(JobId(0), readers.holder), TaskId(1));
  EXPECT_EQ(tasks.on_node(JobId(0), readers.other), TaskId(0));
}

TEST(CheapestNodes, GoFromCheapToDearAndByIdAmongEquals) {
  ClusterBuilder builder(2);
  const NodeId dear = builder.node({.price = 3, .slots = 1}), b = builder.node({.price = 1, .slots = 1}),
               c = builder.node({.price = 1, .slots = 1}),
               far = builder.node({.zone = ZoneId(1), .price = 2, .slots = 1});
  ClusterState state(builder.start);
  state.apply(job(state.snapshot(), {.maps = 9}));
  FreeCapacity free(state.snapshot());
  CheapestNodes nodes(state.snapshot(), free);
  const FreeCapacity::Kind kind = free.kind_of(state.snapshot().jobs[JobId(0)]);
  EXPECT_EQ(nodes.in_zone(kind, ZoneId(1)), far);
  std::vector<NodeId> order;
  for (NodeId node = nodes.anywhere(kind); node.valid(); node = nodes.anywhere(kind)) {
    order.push_back(node);
    free.take(kind, node);
  }
  EXPECT_THAT(order, ElementsAre(b, c, far, dear));
}

TEST(Draft, ReportsOnlyMemoriesThatChanged) {
  Readers readers;
  ClusterState state(readers.builder.start);
  state.apply(job(state.snapshot(), {.maps = 1}));
  state.apply(job(state.snapshot(), {.maps = 1}));
  const CostModel costs;
  Draft draft({state.snapshot(), costs, 1, {}, nullptr});
  draft.remember(JobId(0), state.snapshot().jobs[JobId(0)].memory);
  JobMemory waiting;
  waiting.passed_over_since = TimePoint(seconds(3));
  draft.remember(JobId(1), waiting);
  EXPECT_EQ(draft.memory(JobId(1)), waiting);
  const Plan plan = draft.finish(DeferralReason::no_capacity);
  ASSERT_EQ(plan.remember.size(), 1u);
  EXPECT_EQ(plan.remember[0].job, JobId(1));
  EXPECT_THAT(plan.assignments, IsEmpty());
}

TEST(JobsByPriority, KeepsArrivalAmongEquals) {
  ClusterBuilder builder;
  builder.node();
  ClusterState state(builder.start);
  for (const JobSpec& spec : {JobSpec{.arrival = 2, .maps = 1}, JobSpec{.arrival = 1, .priority = 5, .maps = 1},
                              JobSpec{.arrival = 0, .maps = 1}, JobSpec{.arrival = 3, .priority = 5, .maps = 1}})
    state.apply(job(state.snapshot(), spec));
  EXPECT_THAT(jobs_by_priority(state.snapshot()), ElementsAre(JobId(1), JobId(3), JobId(2), JobId(0)));
}

}  // namespace
}  // namespace lips::testing
