#include "records/ended_tasks.h"

#include <gtest/gtest.h>

#include "model/cluster_state.h"
#include "records/epoch_record.h"

namespace lips {
namespace {

class RecordedEndsTest : public ::testing::Test {
 protected:
  RecordedEndsTest() : state_(cluster()) {
    JobArrived job;
    job.job.name = "j", job.job.pool = PoolId(0), job.job.request = {Cores(2), Mebibytes(0), 1};
    job.job.map_tasks = 3;
    job.tasks.assign(3, Task{});
    for (Task& task : job.tasks) task.cpu = CpuSeconds(60);
    apply(job);
  }
  static ClusterSnapshot cluster() {
    ClusterSnapshot start;
    start.zones.push_back({"a"}), start.profiles.push_back({}), start.pools.push_back(Pool{});
    Node node;
    node.name = "n", node.zone = ZoneId(0), node.profile = ProfileId(0);
    node.capacity = {Cores(8), Mebibytes(100), 10}, node.speed = 1.5;
    start.nodes.push_back(node);
    return start;
  }
  void apply(const ClusterEvent& event) {
    state_.apply(event);
    collector_.on_event(state_.snapshot(), event);
  }
  void start(std::uint32_t task) {
    ASSERT_TRUE(state_.assume({TaskId(task), NodeId(0), {}, {}}));
    apply(TaskStarted{TaskId(task), NodeId(0)});
  }
  void at(double time) { state_.advance(TimePoint(seconds(time))); }
  ClusterState state_;
  EndsCollector collector_;
};

TEST_F(RecordedEndsTest, AreTimeOnTheNodeTimesItsSpeedAndTheirCores) {
  start(0), start(1);
  at(20);
  apply(TaskFinished{TaskId(0), NodeId(0)});  // 60 / (2 x 1.5) s, as expected
  at(35);
  apply(TaskFinished{TaskId(1), NodeId(0)});
  const RecordedEnds ended = collector_.take(TimePoint(seconds(40)));
  ASSERT_EQ(ended.tasks.size(), 2u);
  EXPECT_EQ(ended.tasks[0].work, CpuSeconds(60));
  EXPECT_EQ(ended.tasks[1].work, CpuSeconds(35 * 2 * 1.5));
  EXPECT_EQ(ended.tasks[1].ran, seconds(35));
  EXPECT_EQ(ended.tasks[1].place, 1u);
  EXPECT_FALSE(ended.tasks[1].waited_for_data);
  EXPECT_TRUE(collector_.take(TimePoint(seconds(41))).tasks.empty());
}

TEST_F(RecordedEndsTest, CountTheTimeThatTheClusterReports) {
  start(0);
  at(100);
  apply(TaskFinished{TaskId(0), NodeId(0), seconds(10)});
  EXPECT_EQ(collector_.take(TimePoint{}).tasks[0].work, CpuSeconds(30));
}

TEST_F(RecordedEndsTest, SayHowManyAttemptsWereLostAndWhoseBeginningNobodyKnows) {
  start(0);
  ASSERT_TRUE(state_.assume({TaskId(1), NodeId(0), {}, {}}));  // nobody has seen its start
  at(5);
  apply(TaskLost{TaskId(0)});
  at(9);
  apply(TaskFinished{TaskId(1), NodeId(0)});
  const RecordedEnds ended = collector_.take(TimePoint{});
  EXPECT_EQ(ended.lost, 1u);
  EXPECT_EQ(ended.without_time, 1u);
  EXPECT_TRUE(ended.tasks.empty());
}

TEST_F(RecordedEndsTest, CountAnEndOnceThatIsReportedTwice) {
  start(0);
  at(5);
  for (int times = 0; times < 2; ++times) apply(TaskFinished{TaskId(0), NodeId(0), seconds(5)});
  EXPECT_EQ(collector_.take(TimePoint{}).tasks.size(), 1u);
}

TEST_F(RecordedEndsTest, NeedNoMoreMemoryHoweverManyTasksEndBetweenTwoListings) {
  constexpr std::uint32_t tasks = 150'000;
  JobArrived many;
  many.job.name = "many", many.job.pool = PoolId(0), many.job.request = {Cores(1), Mebibytes(0), 1};
  many.job.map_tasks = tasks;
  many.tasks.assign(tasks, Task{});
  apply(many);
  for (std::uint32_t i = 3; i < 3 + tasks; ++i) {
    start(i);
    apply(TaskFinished{TaskId(i), NodeId(0), seconds(1)});
    ASSERT_LE(collector_.remembered(), EndsCollector::most_remembered);
  }
  apply(TaskFinished{TaskId(2 + tasks), NodeId(0), seconds(1)});
  const RecordedEnds ended = collector_.take(TimePoint{});
  EXPECT_EQ(ended.tasks.size() + ended.without_time, tasks) << "none is lost, and none counts twice";
}

// Ends of records that a full disk does not take are kept for the next one, and so on.
TEST(RecordedEnds, KeepTheLatestOfMoreThanFit) {
  RecordedEnds unwritten;
  constexpr std::size_t records = 5, tasks = RecordedEnds::most / 3;
  for (std::size_t i = 0; i < records; ++i) {
    RecordedEnds ended;
    ended.tasks.assign(tasks, RecordedEnd{});
    ended.tasks.back().place = static_cast<std::uint32_t>(i + 1), ended.lost = 1;
    ended.add_before(std::exchange(unwritten, {}));
    unwritten = std::move(ended);
    ASSERT_LE(unwritten.tasks.size(), RecordedEnds::most);
  }
  EXPECT_EQ(unwritten.tasks.back().place, records);
  EXPECT_EQ(unwritten.tasks.size() + unwritten.without_time, records * tasks) << "those that go are counted";
  EXPECT_EQ(unwritten.lost, records);
}

TEST_F(RecordedEndsTest, AreReadBackFromARecord) {
  start(0), start(2);
  at(7);
  apply(TaskFinished{TaskId(2), NodeId(0)});
  apply(TaskLost{TaskId(0)});
  EpochRecord record;
  record.policy = "fifo", record.ended = collector_.take(TimePoint{});
  record.ended->tasks[0].data_set = "d", record.ended->tasks[0].block = 4;
  const Result<EpochRecord> read = read_epoch("e", write_epoch(record));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->ended, record.ended);
}

}  // namespace
}  // namespace lips
