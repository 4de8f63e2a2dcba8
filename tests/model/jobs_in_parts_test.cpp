#include "model/jobs_in_parts.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "model/own_targets.h"
#include "tests/policies/snapshot_builder.h"

namespace lips {
namespace {

using testing::ClusterBuilder;
using testing::JobSpec;

TimePoint at(double second) { return TimePoint(seconds(second)); }

ClusterState one_node(double cores) {
  ClusterBuilder builder;
  builder.node({.slots = 1000, .cpu = cores});
  return ClusterState(builder.start);
}

JobId add(ClusterState& state, const JobSpec& spec, WholeJobId whole = WholeJobId(0), std::uint32_t declared = 0) {
  JobArrived part = testing::job(state.snapshot(), spec);
  part.job.whole.id = whole;
  part.job.whole.maps = declared;
  state.apply(part);
  return JobId(static_cast<std::uint32_t>(state.snapshot().jobs.size() - 1));
}

TaskId task(const ClusterState& state, JobId job, std::uint32_t number) {
  return TaskId(state.snapshot().jobs[job].first_task.index() + number);
}

TEST(JobsInParts, HaveTheWorkOfAllPartsAndBeginWithTheFirst) {
  ClusterState state = one_node(100);
  const JobId first = add(state, {.arrival = 10, .maps = 3, .cpu = 20}), alone = add(state, {.maps = 1}, {});
  const JobId second = add(state, {.arrival = 5, .maps = 2, .cpu = 50}),
              third = add(state, {.arrival = 50, .maps = 1, .cpu = 7});
  for (const JobId part : {first, second, third}) {
    const Job& job = state.snapshot().jobs[part];
    EXPECT_EQ(all_work(job), CpuSeconds(3 * 20 + 2 * 50 + 7));
    EXPECT_EQ(all_work_left(job), all_work(job));
    EXPECT_EQ(began(job), at(5));
    EXPECT_EQ(PendingParts(state.snapshot()).pending_work(part), all_work(job));
    EXPECT_EQ(PendingParts(state.snapshot()).first(part), second) << "in their order of arrival";
  }
  EXPECT_EQ(all_work(state.snapshot().jobs[alone]), CpuSeconds(10));
  EXPECT_EQ(PendingParts(state.snapshot()).first(alone), alone);

  for (std::uint32_t i = 0; i < 3; ++i) ASSERT_TRUE(state.assume({task(state, first, i), NodeId(0), {}, {}}));
  EXPECT_EQ(PendingParts(state.snapshot()).pending_work(first), CpuSeconds(107)) << "of its other parts";
  state.apply(TaskFinished{task(state, first, 0), NodeId(0)});
  state.apply(TaskWithdrawn{task(state, second, 0)});
  for (const JobId part : {first, second, third})
    EXPECT_NEAR(all_work_left(state.snapshot().jobs[part]).value(), 167.0 * 4 / 6, 1e-9) << "by the share of its tasks";
}

TEST(JobsInParts, CountDeclaredTasksThatHaveNotArrivedAsTheMeanOfThoseThatHave) {
  ClusterState state = one_node(100);
  const JobId part = add(state, {.maps = 4, .cpu = 30}, WholeJobId(0), 10);
  EXPECT_EQ(all_work(state.snapshot().jobs[part]), CpuSeconds(300));
  ASSERT_TRUE(state.assume({task(state, part, 0), NodeId(0), {}, {}}));
  state.apply(TaskFinished{task(state, part, 0), NodeId(0)});
  EXPECT_EQ(all_work_left(state.snapshot().jobs[part]), CpuSeconds(270));
  add(state, {.maps = 8, .cpu = 30}, WholeJobId(0), 10);
  EXPECT_EQ(all_work(state.snapshot().jobs[part]), CpuSeconds(360)) << "two have come in the stead of others";
}

TEST(JobsInParts, HaveTheWorkThatEndedBeforeAResync) {
  ClusterState state = one_node(100);
  JobArrived rest = testing::job(state.snapshot(), {.arrival = 70, .maps = 4, .cpu = 30});
  rest.job.whole.id = WholeJobId(0);
  rest.job.whole.maps = 10, rest.job.whole.finished_maps = 6, rest.job.whole.began = at(3);
  state.apply(rest);
  const Job& job = state.snapshot().jobs[JobId(0)];
  EXPECT_EQ(all_work(job), CpuSeconds(300));
  EXPECT_EQ(all_work_left(job), CpuSeconds(120));
  EXPECT_EQ(began(job), at(3));
}

TEST(JobsInParts, ThatAreHeldDoNotBegin) {
  ClusterState state = one_node(100);
  JobArrived held = testing::job(state.snapshot(), {.arrival = 1, .maps = 1});
  held.job.whole.id = WholeJobId(0), held.job.held = true;
  state.apply(held);
  const JobId other = add(state, {.arrival = 40, .maps = 1});
  EXPECT_EQ(began(state.snapshot().jobs[other]), at(40));
  state.advance(at(60));
  state.apply(JobReleased{JobId(0)});
  EXPECT_EQ(began(state.snapshot().jobs[other]), at(40));
}

// A job of forty tasks of a minute on two cores in one part, or in parts that come together.
OwnTargetReport reported(OwnTargetKind kind, const std::vector<int>& parts, double left, JobId of) {
  ClusterState state = one_node(2);
  for (const int tasks : parts) {
    JobArrived part = testing::job(state.snapshot(), {.maps = tasks, .cpu = 60});
    part.job.whole.id = WholeJobId(0);
    (kind == OwnTargetKind::complete_by ? part.job.due.complete_by : part.job.due.start_by) = at(left);
    state.apply(part);
  }
  Deadlines deadlines(state.snapshot());
  const JobProgress seen{state.snapshot().jobs[of].pending, {}, {}};
  return report_of(kind, state.snapshot(), of, seen, deadlines).value_or(OwnTargetReport{});
}

TEST(JobsInParts, AreDueAsOneJob) {
  const std::vector<std::vector<int>> splits{{40}, {20, 20}, std::vector<int>(40, 1), {1, 39}};
  for (const OwnTargetKind kind : enumerators<OwnTargetKind>)
    for (const double left : {100.0, 1000.0, 1100.0, 1300.0, 5000.0}) {
      const OwnTargetReport one = reported(kind, splits.front(), left, JobId(0));
      for (const std::vector<int>& parts : splits)
        for (std::uint32_t part = 0; part < parts.size(); ++part) {
          const OwnTargetReport report = reported(kind, parts, left, JobId(part));
          EXPECT_EQ(report.state, one.state) << left << " s, part " << part << " of " << parts.size();
          EXPECT_NEAR(to_seconds(report.forecast), to_seconds(one.forecast), 1e-3);
        }
    }
}

// Pods that came earlier have to start earlier, and do not wait for those that came later.
TEST(JobsInParts, HaveALongestWaitOfTheirOwn) {
  ClusterState state = one_node(2);
  for (int i = 0; i < 40; ++i) {
    JobArrived part = testing::job(state.snapshot(), {.arrival = 10.0 * i, .maps = 1, .cpu = 60});
    part.job.whole.id = WholeJobId(0);
    part.job.due.start_by = at(10.0 * i + 200);
    state.apply(part);
  }
  Deadlines deadlines(state.snapshot());
  EXPECT_EQ(deadlines.last_start(JobId(0), 1), Duration(0));
  EXPECT_GT(deadlines.last_start(JobId(39), 1), seconds(1000));
}

// Whatever happens to the parts, the sums are those of all their tasks.
TEST(JobsInParts, AddUpToTheirTasks) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    ClusterState state = one_node(6);
    for (int step = 0; step < 60; ++step) {
      state.advance(at(10.0 * step));
      if (random.below(3) == 0) {
        JobArrived part = testing::job(state.snapshot(), {.arrival = 10.0 * step,
                                                          .maps = 1 + static_cast<int>(random.below(4)),
                                                          .reduces = static_cast<int>(random.below(2))});
        for (Task& each : part.tasks) each.cpu = CpuSeconds(random.uniform(1, 100));
        part.job.whole.id = WholeJobId(static_cast<std::uint32_t>(random.below(3)));
        state.apply(part);
      }
      for (const TaskId id : state.snapshot().tasks.ids()) {
        const TaskState was = state.snapshot().tasks[id].state;
        if (was == TaskState::pending && random.below(3) == 0) state.assume({id, NodeId(0), {}, {}});
        if (was == TaskState::bound && random.below(3) == 0) state.apply(TaskFinished{id, NodeId(0)});
        if (was == TaskState::bound && random.below(9) == 0) state.apply(TaskLost{id});
        if (was != TaskState::finished && random.below(20) == 0) state.apply(TaskWithdrawn{id});
      }
      const ClusterSnapshot& cluster = state.snapshot();
      const PendingParts parts(cluster);
      for (const JobId id : cluster.pending) {
        double work = 0, pending = 0;
        std::uint32_t arrivals = 0, ended = 0;
        TimePoint first = TimePoint::max();
        for (const Job& other : cluster.jobs) {
          if (other.whole.id != cluster.jobs[id].whole.id) continue;
          work += other.work.value(), pending += other.pending_work.value();
          arrivals += other.tasks(), ended += other.finished_maps + other.finished_reduces;
          first = std::min(first, other.arrival);
        }
        const Job& job = cluster.jobs[id];
        EXPECT_NEAR(all_work(job).value(), work, 1e-9 * work);
        EXPECT_EQ(job.whole.arrivals, arrivals);
        EXPECT_EQ(job.whole.ended, ended);
        EXPECT_NEAR(parts.pending_work(id).value(), pending, 1e-9 * work);
        EXPECT_EQ(began(job), first);
      }
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace lips
