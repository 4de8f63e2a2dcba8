#include "advice/expected.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "advice/forecast.h"
#include "advice/standing.h"
#include "advice/why.h"
#include "simulation/random_snapshot.h"
#include "tests/policies/lips/busy_cheap_zone.h"

namespace lips::advice {
namespace {

using lips::testing::BusyCheapZone;
using lips::testing::hours_of_work;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Question question_of(const lips::testing::Case& setting) {
  Question question;
  question.cluster = setting.state.snapshot();
  question.costs = setting.costs;
  question.settings = BusyCheapZone::settings();
  return question;
}

// A random cluster of nodes that stay, in which six pieces of work are announced.
Question announced(std::uint64_t seed, double busy) {
  simulation::SnapshotShape shape = simulation::random_full_shape(seed);
  shape.offers = false, shape.busy = busy, shape.announcements = 6;
  Question question;
  question.cluster = simulation::random_cluster(shape).snapshot();
  question.costs = simulation::random_costs(shape);
  if (seed % 2 == 0) question.settings.lips.billing = Billing::use;
  return question;
}

Question unannounced(Question question) {
  question.cluster.expected.clear();
  return question;
}

TEST(Expected, ATaskThatDoesNotWaitForRoomOfANamedJobSaysForWhich) {
  const BusyCheapZone zones;
  lips::testing::Case setting = zones.at_work({hours_of_work(6, 300)});
  const TaskId task = setting.task(JobId(1), 0);
  const Result<Explanation> said = explain(question_of(setting), task);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->standing, Standing::starts_now);
  ASSERT_TRUE(said->made_room);
  ASSERT_THAT(said->made_room->jobs, SizeIs(1));
  const ExpectedJob& job = said->made_room->jobs.front();
  EXPECT_EQ(job.name, "nightly");
  EXPECT_EQ(job.in, std::chrono::seconds(300));
  ASSERT_FALSE(job.room.empty());
  EXPECT_EQ(job.room.front().first, ZoneId(0));
  EXPECT_THAT(job.inputs, ElementsAre(DataSetId(0)));
  EXPECT_FALSE(said->made_room->starts_on);
  ASSERT_TRUE(said->made_room->starts_in);
  EXPECT_GE(*said->made_room->starts_in, std::chrono::seconds(600)) << "when the cheap zone is free";

  const Result<Explanation> alone = explain(question_of(zones.at_work({})), task);
  ASSERT_TRUE(alone);
  EXPECT_TRUE(waits(alone->standing));
  EXPECT_FALSE(alone->made_room);
  EXPECT_EQ(alone->starts_in, said->made_room->starts_in);
}

// The dear zone is full too, with tasks that no longer wait for the cheap one. Those behind them wait for it, not for
// the cheap zone.
TEST(Expected, ATaskThatWaitsSaysForWhichJobItMakesRoomAndWhenItWouldStartOtherwise) {
  const BusyCheapZone zones;
  const auto asked = [&](const std::vector<ExpectedWork>& expected) {
    lips::testing::Case setting = zones.at_work(expected);
    const JobId next = setting.add({.name = "next", .blocks = std::vector(4, zones.data), .cpu = 60});
    return explain(question_of(setting), setting.task(next, 3));
  };
  const Result<Explanation> alone = asked({}), said = asked({hours_of_work(6, 300)});
  ASSERT_TRUE(alone);
  ASSERT_TRUE(said);
  ASSERT_TRUE(waits(alone->standing));
  ASSERT_TRUE(waits(said->standing));
  ASSERT_TRUE(said->made_room);
  EXPECT_EQ(said->made_room->jobs.front().name, "nightly");
  EXPECT_FALSE(said->made_room->starts_on);
  EXPECT_EQ(said->made_room->starts_in, alone->starts_in);
  EXPECT_LT(said->starts_in, alone->starts_in);
  EXPECT_FALSE(alone->made_room);
}

TEST(Expected, TheAnnouncementsOfOneJobAreOne) {
  const BusyCheapZone zones;
  ExpectedWork other = hours_of_work(1, 300);
  other.input = DataSetId::none();
  lips::testing::Case setting = zones.at_work({hours_of_work(6, 300), other, hours_of_work(1, 900, "hourly")});
  const Question question = question_of(setting);
  const Result<Outcome> outcome = ask(question);
  ASSERT_TRUE(outcome);
  const std::vector<ExpectedJob> jobs = expected_jobs(question.cluster, outcome->plan);
  ASSERT_THAT(jobs, SizeIs(2));
  EXPECT_EQ(jobs[0].work, CpuSeconds(4 * 3600 * 7));
  EXPECT_EQ(jobs[1].name, "hourly");
  CpuSeconds room;
  for (const ExpectedJob& job : jobs)
    for (const auto& [zone, work] : job.room) room += work;
  EXPECT_NEAR(room.value(), outcome->plan.account.expected_room().value(), 1e-6 * room.value());
}

// Its words about a plan without the announcements hold for such a plan.
TEST(Expected, WhatItSaysWouldBeIsWhatAPlanWithoutThemDoes) {
  int said_some = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const Question question = announced(seed, 0.9);
    const Result<Outcome> outcome = ask(question);
    ASSERT_TRUE(outcome) << seed;
    const Question without = unannounced(question);
    const Result<Outcome> then = ask(without);
    ASSERT_TRUE(then) << seed;
    for (std::uint32_t i = 0; i < question.cluster.tasks.size(); i += 1 + question.cluster.tasks.size() / 5) {
      const TaskId task(i);
      if (question.cluster.tasks[task].state != TaskState::pending) continue;
      const Result<std::optional<MadeRoom>> made = room_made(question, *outcome, task, std::nullopt);
      ASSERT_TRUE(made) << seed;
      if (!*made) continue;
      ++said_some;
      const Assignment* start = then->start_of(task);
      EXPECT_EQ((*made)->starts_on, start ? std::optional(start->node) : std::nullopt) << seed;
      EXPECT_FALSE((*made)->jobs.empty()) << seed;
      for (const ExpectedJob& job : (*made)->jobs) EXPECT_FALSE(job.room.empty()) << seed;
      const Result<std::optional<MadeRoom>> none = room_made(without, *then, task, std::nullopt);
      ASSERT_TRUE(none) << seed;
      EXPECT_FALSE(*none) << seed;
    }
  }
  EXPECT_GT(said_some, 20);
}

TEST(Expected, WhatNeverComesDelaysNoTaskBeyondTheTimeInWhichItIsCountedOn) {
  double sum = 0, sum_alone = 0;
  int tasks = 0, later = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Question question = announced(seed, seed % 3 == 0 ? 0.5 : 0.9);
    Duration counted_on{0};
    for (const ExpectedWork& work : question.cluster.expected)
      counted_on = std::max(counted_on, work.at + longest_delay_of_expected - question.cluster.now);
    const Question without = unannounced(question);
    const Result<Forecast> ahead = forecast(question), alone = forecast(without);
    ASSERT_TRUE(ahead && alone) << seed;
    std::map<TaskId, Duration> starts(ahead->starts.begin(), ahead->starts.end());
    for (const auto& [task, at] : alone->starts) {
      ASSERT_TRUE(starts.contains(task)) << seed;
      EXPECT_LE(starts[task], std::max(at, counted_on)) << seed << ": " << task.index();
      sum += to_seconds(starts[task]), sum_alone += to_seconds(at);
      ++tasks, later += starts[task] > at;
    }
  }
  EXPECT_LE(sum, 1.01 * sum_alone);
  EXPECT_GT(tasks, 1000);
  EXPECT_GT(later, 20) << "a test in which nothing is delayed shows nothing";
}

TEST(Expected, WhatNobodyCountsOnChangesNoPlan) {
  int planned = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Question question = announced(seed, 0.9);
    const Question without = unannounced(question);
    for (ExpectedWork& work : question.cluster.expected) {
      if (seed % 3 == 0)
        work.chance = 0;
      else if (seed % 3 == 1)
        work.at = question.cluster.now - longest_delay_of_expected - Duration(1);
      else
        work.at = question.cluster.now + question.settings.lips.expected_reach + Duration(1);
    }
    const Result<Outcome> with = ask(question), alone = ask(without);
    ASSERT_TRUE(with && alone) << seed;
    EXPECT_EQ(with->plan.assignments, alone->plan.assignments) << seed;
    EXPECT_EQ(with->plan.deferrals, alone->plan.deferrals) << seed;
    EXPECT_EQ(with->plan.account.objective, alone->plan.account.objective) << seed;
    EXPECT_THAT(with->plan.account.kept_room, IsEmpty()) << seed;
    planned += !alone->plan.assignments.empty();
  }
  EXPECT_GT(planned, 50);
}

}  // namespace
}  // namespace lips::advice
