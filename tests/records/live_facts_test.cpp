#include "records/live_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "records/epoch_record.h"
#include "simulation/random_snapshot.h"

namespace lips {
namespace {

EpochRecord record_with_facts() {
  simulation::SnapshotShape shape;
  shape.nodes = 3, shape.tasks = 10;
  EpochRecord record;
  record.version = "1", record.policy = "lips";
  record.snapshot.cluster = simulation::random_cluster(shape).snapshot();
  record.snapshot.costs = simulation::random_costs(shape);
  LiveFacts& live = record.live.emplace();
  live.absent = {NodeId(0), NodeId(2)};
  live.pods = {{"batch/a-0", TaskId(0)}, {"batch/a-1", TaskId(9)}};
  live.held = {{"batch/b", "data set 'x' does not exist"}};
  live.plans = {{TimePoint(Duration(5)), "fifo", 10, 4, 1, Usd(0.5), std::nullopt, std::nullopt, 0.25},
                {TimePoint(Duration(9)), "lips", 10, 5, 0, Usd(0.75), Usd(2), Usd(1.5), 0.125}};
  JobDay job{20'780, "etl", "batch/nightly", {}};
  job.dollars = {77,
                 {Usd(6), Usd(7), Usd(8), {}, {}},
                 {Usd(9), Usd(10), Usd(11), {}, {}},
                 {Usd(1), Usd(2), Usd(3), Usd(4), Usd(5)}};
  live.ledger = {job};
  live.targets = {{"etl", TargetKind::mean_wait, 600, 30, 60, 2, TargetState::behind},
                  {"", TargetKind::budget_per_day, 9, 8, 10, 0.5, TargetState::cannot, "fixed nodes cost more"}};
  live.own_targets = {
      {"etl", "batch/late", OwnTargetKind::complete_by, Duration(-5), Duration(9), OwnTargetState::missed},
      {"etl", "batch/slow", OwnTargetKind::max_wait, Duration(60), Duration(50), OwnTargetState::behind}};
  live.applications = {{"etl/count", 3, Mebibytes(12.5), Mebibytes(400), 7},
                       {"etl/once", 0, Mebibytes(1), Mebibytes(0)}};
  TwinReport report;
  report.watched = true, report.span = Duration(70), report.unknown = Duration(7), report.records = 5, report.jobs = 4;
  report.counted = Usd(2), report.ran = {"lips", Usd(2.5), Duration(8), true};
  report.others = {{"spread", Usd(3), Duration(9), false}};
  report.not_known = {"gap: \"x\""};
  live.twin = {report, Duration(11), "later"};
  return record;
}

TEST(LiveFacts, AreReadBackAsTheyWere) {
  const Result<EpochRecord> read = read_epoch("state", write_epoch(record_with_facts()));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read->live);
  const LiveFacts& live = *read->live;
  EXPECT_EQ(live.absent, (std::vector{NodeId(0), NodeId(2)}));
  ASSERT_EQ(live.pods.size(), 2u);
  EXPECT_EQ(live.pods[1].name, "batch/a-1");
  EXPECT_EQ(live.pods[1].task, TaskId(9));
  ASSERT_EQ(live.held.size(), 1u);
  EXPECT_EQ(live.held[0].why, "data set 'x' does not exist");
  ASSERT_EQ(live.plans.size(), 2u);
  EXPECT_EQ(live.plans[0].policy, "fifo");
  EXPECT_FALSE(live.plans[0].bound);
  EXPECT_EQ(live.plans[1].at, TimePoint(Duration(9)));
  EXPECT_EQ(live.plans[1].cost, Usd(2));
  EXPECT_EQ(live.plans[1].bound, Usd(1.5));
  EXPECT_EQ(live.plans[1].seconds, 0.125);
  ASSERT_EQ(live.applications.size(), 2u);
  EXPECT_EQ(live.applications[0].name, "etl/count");
  EXPECT_EQ(live.applications[0].runs, 3u);
  EXPECT_EQ(live.applications[0].shuffle, Mebibytes(12.5));
  EXPECT_EQ(live.applications[0].input, Mebibytes(400));
  EXPECT_EQ(live.applications[0].workers, 7u);
  ASSERT_EQ(live.ledger.size(), 1u);
  const JobDay& job = live.ledger[0];
  EXPECT_EQ(job.day, 20'780);
  EXPECT_EQ(job.pool + ' ' + job.job, "etl batch/nightly");
  EXPECT_EQ(job.dollars.finished, 77u);
  EXPECT_EQ(job.dollars.predicted.shuffle, Usd(8));
  EXPECT_EQ(job.dollars.counted.cpu, Usd(9));
  EXPECT_EQ(job.dollars.spent.total(), Usd(15));
  EXPECT_EQ(live.targets, record_with_facts().live->targets);
  EXPECT_EQ(live.own_targets, record_with_facts().live->own_targets);
  EXPECT_EQ(live.twin, record_with_facts().live->twin);
}

TEST(LiveFacts, OfAnOperatorWithoutTheReportsAreReadToo) {
  std::string text = write_epoch(record_with_facts());
  for (const char* key : {",\"ledger\":[[", ",\"targets\":[[", ",\"ownTargets\":[["}) {
    const std::size_t from = text.find(key), end = text.find("]]", from) + 2;
    ASSERT_NE(from, std::string::npos);
    text.erase(from, end - from);
  }
  const Result<EpochRecord> read = read_epoch("state", text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->live->ledger.empty());
  EXPECT_EQ(read->live->plans.size(), 2u);
}

TEST(LiveFacts, AJournalHasNone) {
  EpochRecord record = record_with_facts();
  record.live.reset();
  const Result<EpochRecord> read = read_epoch("epoch", write_epoch(record));
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->live);
}

TEST(LiveFacts, OfTasksThatDoNotExistAreRefused) {
  EpochRecord record = record_with_facts();
  record.live->pods.push_back({"batch/moon", TaskId(10)});
  const Result<EpochRecord> read = read_epoch("state", write_epoch(record));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, ::testing::HasSubstr("/live/pods/2/1"));
}

}  // namespace
}  // namespace lips
