#include "advice/change.h"

#include <gtest/gtest.h>

#include "simulation/random_snapshot.h"
#include "tests/model/difference.h"

namespace lips::advice {
namespace {

Question question_of(const simulation::SnapshotShape& shape) {
  Question question;
  question.cluster = simulation::random_cluster(shape).snapshot();
  question.costs = simulation::random_costs(shape);
  return question;
}

// A copy of a job of the cluster, as if it arrived now.
JobArrived another(const ClusterSnapshot& cluster, JobId like) {
  JobArrived arrived;
  const Job& job = cluster.jobs[like];
  arrived.job = job;
  arrived.job.name = "another";
  arrived.job.arrival = cluster.now;
  arrived.job.map_output.clear();
  arrived.job.memory = {};
  arrived.job.held = false;
  arrived.job.whole = {};
  arrived.job.pending = arrived.job.running = arrived.job.finished_maps = arrived.job.finished_reduces = 0;
  arrived.job.degraded_launched = 0;
  arrived.job.pending_work = CpuSeconds(0);
  for (std::uint32_t i = 0; i < job.tasks(); ++i) {
    const Task& one = cluster.tasks[TaskId(job.first_task.index() + i)];
    Task task;
    task.block = one.block, task.cpu = one.cpu, task.input = one.input, task.kind = one.kind;
    arrived.tasks.push_back(task);
  }
  return arrived;
}

TEST(Change, AnAddedJobIsOneThatHasArrived) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const simulation::SnapshotShape shape = simulation::random_full_shape(seed);
    ClusterState state = simulation::random_cluster(shape);
    Question question = question_of(shape);
    const JobId like(static_cast<std::uint32_t>(seed % question.cluster.jobs.size()));
    const JobArrived arrived = another(question.cluster, like);
    const ConstraintId constraint = arrived.job.constraint;
    apply_change(JobAdded{arrived.job, arrived.tasks,
                          constraint.valid() ? question.cluster.constraints[constraint] : PlacementConstraint{}},
                 question);
    state.apply(arrived);
    EXPECT_EQ(testing::difference(question.cluster, state.snapshot()), "") << "seed " << seed;
  }
}

TEST(Change, ARecreatedPodIsAWithdrawnOneAndOneThatArrived) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    simulation::SnapshotShape shape = simulation::random_full_shape(seed);
    // Parts of a whole job are told more.
    shape.share_of_jobs_with_shuffle = 0, shape.share_of_jobs_in_parts = 0, shape.share_of_jobs_of_peers = 0;
    ClusterState state = simulation::random_cluster(shape);
    Question question = question_of(shape);
    if (question.cluster.pending.empty()) continue;
    const JobId id = question.cluster.pending[seed % question.cluster.pending.size()];
    TaskId task;
    for (const TaskGroup& group : question.cluster.groups[id])
      if (group.count > 0) task = group.last;
    if (question.cluster.jobs[id].tasks() > 1) continue;
    ++compared;
    const Job job = question.cluster.jobs[id];
    const PlacementConstraint own =
        job.constraint.valid() ? question.cluster.constraints[job.constraint] : PlacementConstraint{};
    const TaskId added = apply_change(PodRecreated{task, own, job.priority + 1}, question);
    JobArrived arrived = another(state.snapshot(), id);
    arrived.job.name = job.name;
    arrived.job.priority = job.priority + 1;
    arrived.job.memory = job.memory;
    state.apply(TaskWithdrawn{task});
    state.apply(arrived);
    EXPECT_EQ(testing::difference(question.cluster, state.snapshot()), "") << "seed " << seed;
    EXPECT_EQ(question.cluster.tasks[added].state, TaskState::pending);
  }
  EXPECT_GT(compared, 10u);
}

TEST(Change, AddedNodesAreEmptyOnesOfThatKind) {
  simulation::SnapshotShape shape;
  shape.nodes = 4, shape.tasks = 10, shape.busy = 0.5;
  Question question = question_of(shape);
  const std::size_t before = question.cluster.nodes.size();
  const Node like = question.cluster.nodes[NodeId(2)];
  apply_change(NodesAdded{NodeId(2), 2}, question);
  ASSERT_EQ(question.cluster.nodes.size(), before + 2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    const NodeId added(static_cast<std::uint32_t>(before) + i);
    EXPECT_EQ(question.cluster.free[added], like.capacity);
    EXPECT_EQ(question.cluster.nodes[added].zone, like.zone);
    EXPECT_FALSE(question.cluster.node_store[added].valid());
  }
  EXPECT_TRUE(ask(question));
}

TEST(Change, NothingStartsInAClosedZone) {
  simulation::SnapshotShape shape;
  shape.nodes = 9, shape.tasks = 60;
  Question question = question_of(shape);
  apply_change(ZoneClosed{ZoneId(1)}, question);
  const Result<Outcome> outcome = ask(question);
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->starting.empty());
  for (const Assignment& assignment : outcome->starting)
    EXPECT_NE(question.cluster.nodes[assignment.node].zone, ZoneId(1));
}

TEST(Change, APodThatNamesANodeStartsThereOrNowhere) {
  simulation::SnapshotShape shape;
  shape.nodes = 6, shape.tasks = 5;
  Question question = question_of(shape);
  const TaskId task = question.cluster.groups[question.cluster.pending[0]][0].first;
  const Node& node = question.cluster.nodes[NodeId(3)];
  const TaskId added = apply_change(PodRecreated{task, on_node({}, node), 0}, question);
  const Result<Outcome> outcome = ask(question);
  ASSERT_TRUE(outcome);
  const Assignment* start = outcome->start_of(added);
  ASSERT_NE(start, nullptr);
  EXPECT_EQ(start->node, NodeId(3));
}

}  // namespace
}  // namespace lips::advice
