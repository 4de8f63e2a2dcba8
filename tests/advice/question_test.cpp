#include "advice/question.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "controller/dispatcher.h"
#include "simulation/random_snapshot.h"
#include "tests/controller/fake_cluster.h"
#include "tests/policies/snapshot_builder.h"

namespace lips::advice {
namespace {

simulation::SnapshotShape busy_shape(std::uint64_t seed) {
  simulation::SnapshotShape shape = simulation::random_full_shape(seed);
  shape.busy = 0.7;
  shape.pools = 1;  // where several compete, plans take one step at a time
  return shape;
}

TEST(FirstDispatch, IsWhatTheDispatcherBindsAtOnce) {
  std::size_t bound = 0, later = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const simulation::SnapshotShape shape = busy_shape(seed);
    ClusterState state = simulation::random_cluster(shape);
    Question question;
    question.cluster = state.snapshot();
    question.costs = simulation::random_costs(shape);
    if (seed % 3 == 0) question.policy = "fifo";
    if (seed % 3 == 1) question.settings.lips.plan_ahead = std::chrono::minutes(5);  // plans more than fits now
    const Result<Outcome> outcome = ask(question);
    ASSERT_TRUE(outcome) << seed;
    // Policies put small tasks first where they can; here a large one may stand before a small one.
    Plan plan = outcome->plan;
    Random random(seed);
    for (std::size_t i = plan.assignments.size(); seed % 2 == 0 && i > 1; --i)
      std::swap(plan.assignments[i - 1], plan.assignments[random.below(i)]);
    fake::Cluster cluster;
    std::vector<Observer*> nobody;
    Dispatcher dispatcher(state, cluster);
    dispatcher.accept(plan);
    dispatcher.dispatch_all(nobody);
    const auto by_task = [](const Assignment& a, const Assignment& b) { return a.task < b.task; };
    std::vector<Assignment> starting = first_dispatch(question.cluster, plan);
    if (seed % 2 == 1) {
      EXPECT_EQ(starting, outcome->starting);
    }
    std::sort(starting.begin(), starting.end(), by_task);
    std::sort(cluster.bound.begin(), cluster.bound.end(), by_task);
    EXPECT_EQ(starting, cluster.bound) << "seed " << seed;
    bound += starting.size();
    later += outcome->plan.assignments.size() - starting.size();
  }
  EXPECT_GT(bound, 100u);
  EXPECT_GT(later, 10u) << "no plan had a task that has to wait for its room";
}

TEST(FirstDispatch, ATaskThatDoesNotFitHoldsThoseBehindItBack) {
  testing::ClusterBuilder builder;
  const NodeId node = builder.node({.slots = 10, .cpu = 4});
  ClusterState state(builder.start);
  state.apply(testing::job(state.snapshot(), {.maps = 2, .cores = 3}));
  state.apply(testing::job(state.snapshot(), {.maps = 1, .cores = 1}));
  Plan plan;
  for (const TaskId task : state.snapshot().tasks.ids())
    plan.assignments.push_back({task, node, StoreId::none(), StoreId::none()});
  const std::vector<Assignment> starting = first_dispatch(state.snapshot(), plan);
  fake::Cluster cluster;
  std::vector<Observer*> nobody;
  Dispatcher dispatcher(state, cluster);
  dispatcher.accept(plan);
  dispatcher.dispatch_all(nobody);
  EXPECT_EQ(starting, cluster.bound);
  EXPECT_EQ(starting.size(), 1u);
}

TEST(Ask, ReturnsTheErrorOfAPolicyThatDoesNotExist) {
  Question question;
  question.policy = "lisp";
  EXPECT_FALSE(ask(question));
}

}  // namespace
}  // namespace lips::advice
