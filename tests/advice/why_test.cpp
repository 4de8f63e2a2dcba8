#include "advice/why.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "advice/forecast.h"
#include "advice/lips_classes.h"
#include "records/snapshot_file.h"
#include "simulation/random_snapshot.h"
#include "tests/policies/snapshot_builder.h"

namespace lips::advice {
namespace {

// Tasks of a job that are alike stand in the order of the file, not in that of the events behind them.
Question as_a_file(Question question) {
  const std::string text = write_snapshot(question.cluster, question.costs);
  Result<SnapshotFile> read = read_snapshot("question", text, SnapshotOrder::as_written);
  EXPECT_TRUE(read);
  question.cluster = std::move(read->cluster);
  question.costs = std::move(read->costs);
  return question;
}

// Busy nodes, so that something waits; every other seed weighs prices by use, so that waiting may be cheaper.
Question busy_question(std::uint64_t seed) {
  simulation::SnapshotShape shape = simulation::random_full_shape(seed);
  shape.busy = seed % 4 == 0 ? 0.5 : 0.95;
  shape.nothing_fits = false;
  Question question;
  question.cluster = simulation::random_cluster(shape).snapshot();
  question.costs = simulation::random_costs(shape);
  if (seed % 2 == 0) question.settings.lips.billing = Billing::use;
  return as_a_file(std::move(question));
}

// A waiting task, another one for each seed; none if nothing waits.
TaskId waiting_task(const Question& question, std::uint64_t seed) {
  const Result<Outcome> outcome = ask(question);
  if (!outcome) return TaskId::none();
  std::vector<TaskId> waiting;
  for (const TaskId task : question.cluster.tasks.ids())
    if (question.cluster.tasks[task].state == TaskState::pending && !outcome->planned_for(task))
      waiting.push_back(task);
  return waiting.empty() ? TaskId::none() : waiting[seed % waiting.size()];
}

// The remedy, applied to the snapshot as a file, from which everything derived is worked out again: nodes,
// a maximum, a price are written; a pod that is created again is withdrawn and arrives by events, as in a cluster.
struct Done {
  Question question;
  TaskId task;
};

Done carried_out(const Question& before, const Remedy& remedy, TaskId task) {
  Done done{before, task};
  const TaskId added = apply_change(remedy.change, done.question);
  if (added.valid()) done.task = added;
  done.question = as_a_file(std::move(done.question));
  return done;
}

// As much more for each, whatever its work; jobs that are due, or that have tasks that started, weigh by more than
// that.
TEST(PriceOfWaiting, OfEachJobGrowsByWhatAJobCounts) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Question question = busy_question(seed);
    for (Pool& pool : question.cluster.pools) pool.waiting_factor = 1;
    for (Job& job : question.cluster.jobs) job.due = {};
    const auto hour = [&](JobId job, double core_hours) {
      question.settings.lips.waiting_per_job = core_hours;
      const double price = lips_classes(question).wait_of(job).value();
      return price * question.cluster.jobs[job].pending_work.value();
    };
    std::optional<double> more;
    for (const JobId job : question.cluster.pending) {
      if (question.cluster.jobs[job].pending_work.value() < 1) continue;
      const double found = hour(job, 5) - hour(job, 0);
      if (hour(job, 5) == 0) continue;  // all nodes are free of charge
      if (!more) more = found;
      EXPECT_GT(found, 0);
      EXPECT_NEAR(found, *more, 1e-6 * *more) << seed;
      ++compared;
    }
  }
  EXPECT_GT(compared, 50);
}

// The queue that a wait is charged for leaves out work that is announced and counted on, as in plans.
TEST(PriceOfWaiting, LeavesOutTheQueueThatIsPlannedForByName) {
  int lower = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Question question = busy_question(seed);
    question.settings.lips.billing = Billing::invoice;
    if (!question.cluster.offers.empty() || question.cluster.expected.empty()) continue;
    const auto charge = [&](Duration reach) {
      question.settings.lips.expected_reach = reach;
      return lips_classes(question).classes.queue_charge;
    };
    const double without = charge(Duration(0)), with = charge(one_day);
    EXPECT_LE(with, without * (1 + 1e-9)) << "seed " << seed;
    lower += with < without;
  }
  EXPECT_GT(lower, 5);
}

// Asks for a waiting task of each of forty clusters with the time that its job needs, a little more and a little less.
// Returns how many need any.
int told_whether_in_time(std::optional<TimePoint> JobDue::*due, std::optional<Deadline> Explanation::*told) {
  int asked = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Question question = busy_question(seed);
    const TaskId task = waiting_task(question, seed);
    if (!task.valid()) continue;
    Job& job = question.cluster.jobs[question.cluster.tasks[task].job];
    const auto with = [&](Duration left) {
      job.due = {}, job.due.*due = question.cluster.now + left;
      const Result<Explanation> said = explain(question, task);
      return said ? ((*said).*told).value_or(Deadline{}) : Deadline{};
    };
    const Duration needed = with(one_day).needed;
    EXPECT_TRUE(with(needed + seconds(1)).can_be_met()) << seed;
    EXPECT_FALSE(with(needed - seconds(0.001)).can_be_met()) << seed;
    EXPECT_EQ(with(-one_day).left, -one_day) << seed;
    EXPECT_FALSE(with(-one_day).can_be_met()) << seed;
    job.due = {};
    EXPECT_FALSE((*explain(question, task)).*told) << seed;
    asked += needed > Duration(0);
  }
  return asked;
}

TEST(Why, SaysWhetherTheLastTaskOfItsJobCanStartInTime) {
  EXPECT_GT(told_whether_in_time(&JobDue::start_by, &Explanation::last_start), 10);
}

TEST(Why, SaysWhetherTheDeadlineOfItsJobCanBeMetAtFullSpeed) {
  EXPECT_GT(told_whether_in_time(&JobDue::complete_by, &Explanation::deadline), 20);
}

TEST(Why, WhatItSaysStartsTheTaskAtTheDollarsThatItSays) {
  int clusters = 0, kept = 0, remedies = 0;
  EnumArray<RemedyKind, int> kinds;
  for (std::uint64_t seed = 1; seed <= 1200 && clusters < 300; ++seed) {
    const Question question = busy_question(seed);
    const TaskId task = waiting_task(question, seed);
    if (!task.valid()) continue;
    const Result<Explanation> explanation = explain(question, task);
    ASSERT_TRUE(explanation) << "seed " << seed;
    EXPECT_TRUE(waits(explanation->standing)) << "seed " << seed;
    if (explanation->remedies.empty()) continue;
    ++clusters;
    bool all = true;
    for (const Remedy& remedy : explanation->remedies) {
      ++remedies, ++kinds[remedy.kind];
      const Done done = carried_out(question, remedy, task);
      const Result<Outcome> outcome = ask(done.question);
      ASSERT_TRUE(outcome) << "seed " << seed;
      const Assignment* start = outcome->start_of(done.task);
      const double said = remedy.place.bill.total().value();
      const double paid = start ? place_of(done.question, *start).bill.total().value() : -1;
      const bool good = start && std::abs(paid - said) <= 0.05 * std::max(said, 1e-12);
      if (!good)
        ADD_FAILURE_AT(__FILE__, __LINE__) << "seed " << seed << ": " << to_string(remedy.kind) << " " << remedy.detail
                                           << " said " << said << ", paid " << paid;
      all &= good;
    }
    kept += all;
  }
  std::cout << "clusters " << clusters << ", kept in " << kept << ", remedies " << remedies;
  for (const RemedyKind kind : enumerators<RemedyKind>) std::cout << ", " << to_string(kind) << " " << kinds[kind];
  std::cout << "\n";
  EXPECT_GE(clusters, 300);
  EXPECT_GE(kept, clusters * 95 / 100);
  for (const RemedyKind kind : {RemedyKind::more_nodes, RemedyKind::higher_priority, RemedyKind::fewer_selectors,
                                RemedyKind::higher_maximum, RemedyKind::that_node, RemedyKind::higher_waiting_price})
    EXPECT_GT(kinds[kind], 0) << to_string(kind);
}

// Two zones of one node each; the first is full, and the pod may run there alone.
Question full_zone() {
  simulation::SnapshotShape shape;
  shape.nodes = 2, shape.zones = 2, shape.classes = 2, shape.tasks = 1, shape.jobs = 1, shape.pools = 1;
  shape.share_of_jobs_without_input = 1, shape.load = 0;
  ClusterSnapshot start = simulation::random_cluster(shape).snapshot();
  for (const NodeId node : start.nodes.ids()) {
    NodeProfile profile;
    profile.labels = {{"topology.kubernetes.io/zone", start.zones[start.nodes[node].zone].name}};
    start.nodes[node].profile = start.profiles.push_back(profile);
  }
  PlacementConstraint there;
  there.required = {{"topology.kubernetes.io/zone", LabelRequirement::Operator::in, {start.zones[ZoneId(0)].name}}};
  start.jobs[JobId(0)].constraint = start.constraints.push_back(there);
  for (const NodeId node : start.nodes.ids())
    if (start.nodes[node].zone == ZoneId(0)) start.free[node] = {Cores(0), Mebibytes(0), 0};
  Question question;
  question.cluster = std::move(start);
  question.costs = simulation::random_costs(shape);
  return question;
}

TEST(Why, AZoneThatIsFullNamesTheOther) {
  const Question question = full_zone();
  const Result<Explanation> explanation = explain(question, TaskId(0));
  ASSERT_TRUE(explanation);
  EXPECT_EQ(explanation->standing, Standing::no_capacity);
  const auto other = std::find_if(explanation->remedies.begin(), explanation->remedies.end(),
                                  [](const Remedy& remedy) { return remedy.kind == RemedyKind::another_zone; });
  ASSERT_NE(other, explanation->remedies.end());
  EXPECT_EQ(other->detail, question.cluster.zones[ZoneId(1)].name);
  EXPECT_TRUE(is_for_owner(other->kind));
}

TEST(Why, ATaskThatFitsNoNodeSaysWhichDoNotTakeIt) {
  Question question = full_zone();
  question.cluster.jobs[JobId(0)].request.cpu = Cores(1000);
  const Result<Explanation> explanation = explain(question, TaskId(0));
  ASSERT_TRUE(explanation);
  EXPECT_EQ(explanation->standing, Standing::not_eligible);
  EXPECT_EQ(explanation->mismatches[Mismatch::too_small], 1u);
  EXPECT_EQ(explanation->mismatches[Mismatch::labels], 1u);
  EXPECT_FALSE(explanation->starts_in);
  EXPECT_TRUE(explanation->remedies.empty());
}

// Beside another scheduler that is the usual state of a node.
TEST(Why, ANodeThatIsFullOfPodsOfOthersIsNotTooSmall) {
  Question question = full_zone();
  for (const NodeId id : question.cluster.nodes.ids())
    if (Node& node = question.cluster.nodes[id]; node.zone == ZoneId(0)) node.others = node.capacity;
  const Result<Explanation> explanation = explain(question, TaskId(0));
  ASSERT_TRUE(explanation);
  EXPECT_EQ(explanation->standing, Standing::no_capacity);
  EXPECT_EQ(explanation->mismatches[Mismatch::full_of_others], 1u);
  EXPECT_EQ(explanation->mismatches[Mismatch::too_small], 0u);
  EXPECT_FALSE(explanation->starts_in) << "nobody knows when others end";
}

TEST(Why, APoolThatHasItsShareIsNamed) {
  lips::testing::ClusterBuilder builder;
  builder.pool();
  builder.node({.slots = 4, .cpu = 4});
  ClusterState state(builder.start);
  for (const PoolId pool : {PoolId(0), PoolId(1)})
    state.apply(lips::testing::job(state.snapshot(), {.pool = pool, .maps = 10, .cpu = 600}));
  Question question;
  question.cluster = state.snapshot();
  question.costs = uniform_costs(1, UsdPerMebibyte(0));
  std::size_t named = 0;
  for (const std::uint32_t task : {9U, 19U}) {
    const Result<Explanation> explanation = explain(question, TaskId(task));
    ASSERT_TRUE(explanation);
    named += explanation->standing == Standing::pool_share;
  }
  EXPECT_EQ(named, 2u);
}

TEST(Why, APoolAtItsMaximumIsNamedAndRaised) {
  Question question = full_zone();
  question.cluster.pools[PoolId(0)].maximum = Cores(0.5);
  question.cluster.jobs[JobId(0)].constraint = ConstraintId::none();
  const Result<Explanation> explanation = explain(question, TaskId(0));
  ASSERT_TRUE(explanation);
  EXPECT_EQ(explanation->standing, Standing::pool_maximum);
  ASSERT_EQ(explanation->remedies.size(), 1u);
  EXPECT_EQ(explanation->remedies[0].kind, RemedyKind::higher_maximum);
  EXPECT_EQ(explanation->remedies[0].amount, question.cluster.jobs[JobId(0)].request.cpu.value());
}

// The forecast against the policy run event by event: one node of one core, tasks of ten seconds each.
TEST(Forecast, IsTheOrderInWhichANodeWorksOffItsQueue) {
  simulation::SnapshotShape shape;
  shape.nodes = 1, shape.zones = 1, shape.tasks = 5, shape.jobs = 5, shape.pools = 1;
  shape.share_of_jobs_without_input = 1, shape.load = 0;
  Question question;
  question.cluster = simulation::random_cluster(shape).snapshot();
  question.costs = simulation::random_costs(shape);
  Node& node = question.cluster.nodes[NodeId(0)];
  node.capacity.cpu = Cores(1), node.capacity.slots = 1, node.speed = 1;
  question.cluster.free[NodeId(0)] = node.capacity;
  for (Task& task : question.cluster.tasks) task.cpu = CpuSeconds(10);
  for (const JobId job : question.cluster.jobs.ids())
    for (TaskGroup& group : question.cluster.groups[job]) group.cpu = CpuSeconds(10);
  const Result<Forecast> ahead = forecast(question);
  ASSERT_TRUE(ahead);
  EXPECT_TRUE(ahead->complete);
  ASSERT_EQ(ahead->starts.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(to_seconds(ahead->starts[i].second), 10.0 * static_cast<double>(i), 1e-3) << i;
}

// Six jobs of one task each, for which there is no room.
Question queue_for(const std::string& policy) {
  simulation::SnapshotShape shape;
  shape.nodes = 1, shape.zones = 1, shape.tasks = 6, shape.jobs = 6, shape.pools = 1;
  Question question;
  question.cluster = simulation::random_cluster(shape).snapshot();
  question.costs = simulation::random_costs(shape);
  question.policy = policy;
  question.cluster.free[NodeId(0)] = {Cores(0), Mebibytes(0), 0};
  for (Job& job : question.cluster.jobs) job.priority = 0;
  return question;
}

// Where nodes are launched, plans place no small job before the others.
TEST(QueuePlace, BesideAnAutoscalerSmallJobsComeInTheirTurn) {
  int with_offers = 0, small_first = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Question question = busy_question(seed);
    question.settings.lips.billing = Billing::invoice;
    const Result<Outcome> outcome = ask(question);
    ASSERT_TRUE(outcome);
    const auto ahead = [&](double usd) {
      question.settings.lips.fast_path_limit = Usd(usd);
      std::vector<std::uint64_t> places;
      for (const JobId job : question.cluster.pending)
        places.push_back(place_in_queue(question, *outcome, question.cluster.jobs[job].first_task).ahead);
      return places;
    };
    const bool same = ahead(0) == ahead(1e-2);
    if (question.cluster.offers.empty()) {
      small_first += !same;
      continue;
    }
    EXPECT_TRUE(same) << "seed " << seed;
    ++with_offers;
  }
  EXPECT_GT(with_offers, 10);
  EXPECT_GT(small_first, 5);
}

TEST(QueuePlace, CountsThoseThatArrivedBefore) {
  const Question question = queue_for("fifo");
  const Result<Outcome> outcome = ask(question);
  ASSERT_TRUE(outcome);
  for (const TaskId task : question.cluster.tasks.ids()) {
    const QueuePlace place = place_in_queue(question, *outcome, task);
    EXPECT_EQ(place.ahead, task.index());
    EXPECT_EQ(place.waiting, 6u);
  }
}

TEST(QueuePlace, PutsWhatIsDueFirst) {
  for (std::uint32_t due = 0; due < 6; ++due) {
    Question question = queue_for("lips");
    question.settings.lips.fast_path_limit = Usd(0);
    question.cluster.now += seconds(3600);
    question.cluster.jobs[JobId(due)].due.start_by = question.cluster.now;
    const Result<Outcome> outcome = ask(question);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(place_in_queue(question, *outcome, question.cluster.jobs[JobId(due)].first_task).ahead, 0u) << due;
  }
}

}  // namespace
}  // namespace lips::advice
