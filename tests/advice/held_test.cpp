#include "advice/held.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advice/why.h"
#include "simulation/random_snapshot.h"

namespace lips::advice {
namespace {

// A random cluster that is nearly full, in which many jobs are of peers: some wait, some are still to come.
Question with_peers(std::uint64_t seed) {
  simulation::SnapshotShape shape;
  shape.seed = seed;
  shape.nodes = 10, shape.tasks = 60, shape.jobs = 12, shape.busy = 0.8;
  shape.share_of_jobs_of_peers = 0.6;
  Question question;
  question.cluster = simulation::random_cluster(shape).snapshot();
  question.costs = simulation::random_costs(shape);
  if (seed % 2 == 0) question.settings.lips.billing = Billing::use;
  return question;
}

TEST(Held, WhoeverIsSaidToBeHeldBackStartsWhereNoRoomIsHeld) {
  int held = 0, waiting = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Question question = with_peers(seed);
    const Result<Outcome> outcome = ask(question);
    ASSERT_TRUE(outcome) << seed;
    Question without = question;
    without.settings.lips.keep_room = Duration{};
    const Result<Outcome> otherwise = ask(without);
    ASSERT_TRUE(otherwise) << seed;
    for (const JobId id : question.cluster.pending) {
      const TaskId task = question.cluster.jobs[id].first_task;
      if (question.cluster.tasks[task].state != TaskState::pending || outcome->start_of(task)) continue;
      ++waiting;
      const Result<std::optional<HeldBack>> said = held_back(question, *outcome, task);
      ASSERT_TRUE(said) << seed;
      if (!*said) continue;
      ++held;
      ASSERT_TRUE(otherwise->start_of(task)) << seed;
      EXPECT_EQ((*said)->starts_on, otherwise->start_of(task)->node) << seed;
      ASSERT_FALSE((*said)->rooms.empty());
      for (const HeldRoom& room : (*said)->rooms) {
        EXPECT_NE(room.job, id);
        EXPECT_GT(room.tasks, 0u);
      }
    }
  }
  EXPECT_GT(waiting, 100);
  EXPECT_GT(held, 5);
}

}  // namespace
}  // namespace lips::advice
