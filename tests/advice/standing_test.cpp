#include "advice/standing.h"

#include <gtest/gtest.h>

#include "advice/why.h"
#include "simulation/random_snapshot.h"

namespace lips::advice {
namespace {

// One node, and one job of three tasks without input.
Question one_node(const char* policy) {
  simulation::SnapshotShape shape;
  shape.nodes = 1, shape.zones = 1, shape.classes = 1, shape.tasks = 3, shape.jobs = 1, shape.pools = 1;
  shape.share_of_jobs_without_input = 1, shape.load = 0;
  Question question;
  question.cluster = simulation::random_cluster(shape).snapshot();
  question.costs = simulation::random_costs(shape);
  question.policy = policy;
  return question;
}

TEST(Standings, ATaskBehindOneThatTakesTheLastRoomSaysSo) {
  Question question = one_node("fifo");
  question.cluster.free[NodeId(0)] = question.cluster.jobs[JobId(0)].request;
  const Result<Outcome> outcome = ask(question);
  ASSERT_TRUE(outcome);
  ASSERT_EQ(outcome->starting.size(), 1u);
  const Standings standings(question.cluster, *outcome);
  for (const TaskId task : question.cluster.tasks.ids()) {
    const bool starts = outcome->start_of(task) != nullptr;
    if (!starts && outcome->planned_for(task)) continue;  // next on the node
    EXPECT_EQ(standings.of(task), starts ? Standing::starts_now : Standing::behind_others) << task.index();
    EXPECT_TRUE(standings.with_room(task, standings.free()).empty());
  }
}

TEST(Standings, WithoutRoomBeforeThePlanNothingThatFitsIsFree) {
  Question question = one_node("fifo");
  question.cluster.free[NodeId(0)] = {Cores(0), Mebibytes(0), 0};
  const Result<Outcome> outcome = ask(question);
  ASSERT_TRUE(outcome);
  for (const TaskId task : question.cluster.tasks.ids())
    EXPECT_EQ(Standings(question.cluster, *outcome).of(task), Standing::no_capacity);
}

// The page asks about many tasks with one outcome, `lips why` about one with its own.
TEST(Standings, AreThoseThatWhyGives) {
  int waiting = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    simulation::SnapshotShape shape = simulation::random_full_shape(seed);
    shape.busy = 0.9;
    Question question;
    question.cluster = simulation::random_cluster(shape).snapshot();
    question.costs = simulation::random_costs(shape);
    const Result<Outcome> outcome = ask(question);
    ASSERT_TRUE(outcome) << seed;
    const Standings standings(question.cluster, *outcome);
    for (std::uint32_t i = 0; i < question.cluster.tasks.size(); i += 1 + question.cluster.tasks.size() / 3) {
      const Result<Explanation> explanation = explain(question, TaskId(i));
      ASSERT_TRUE(explanation) << seed;
      EXPECT_EQ(standings.of(TaskId(i)), explanation->standing) << "seed " << seed << ", task " << i;
      waiting += waits(explanation->standing);
    }
  }
  EXPECT_GT(waiting, 30);
}

}  // namespace
}  // namespace lips::advice
