#include "records/watched_records.h"

#include <gtest/gtest.h>

#include "simulation/random_snapshot.h"

namespace lips {
namespace {

class WatchedRecordsTest : public ::testing::Test {
 protected:
  WatchedRecordsTest() {
    shape_.nodes = 3, shape_.tasks = 10;
    now_ = cluster().now;
  }
  ClusterSnapshot cluster() const { return simulation::random_cluster(shape_).snapshot(); }
  // The cluster with what has happened to its first pending task since.
  WatchedCluster seen(std::vector<ClusterEvent> events = {}, std::vector<ClusterEvent> ended = {}) {
    WatchedCluster result{simulation::random_cluster(shape_), simulation::random_costs(shape_), std::move(ended)};
    result.state.advance(now_ += std::chrono::seconds(1));
    for (const ClusterEvent& event : events) result.state.apply(event);
    return result;
  }
  static TaskId first_pending(const ClusterSnapshot& cluster) {
    for (const TaskId task : cluster.tasks.ids())
      if (cluster.tasks[task].state == TaskState::pending) return task;
    return TaskId::none();
  }

  simulation::SnapshotShape shape_;
  TimePoint now_{};
  WatchedRecords records_;
};

TEST_F(WatchedRecordsTest, AreOfLooksInWhichSomethingHasChanged) {
  const TaskId task = first_pending(cluster());
  ASSERT_TRUE(task.valid());
  const TaskFound found{task, NodeId(0), now_};
  const std::optional<EpochRecord> first = records_.add(seen());
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->watched);
  EXPECT_TRUE(first->ended->tasks.empty());
  EXPECT_FALSE(records_.add(seen()));
  EXPECT_TRUE(records_.add(seen({found}))) << "it runs";
  EXPECT_FALSE(records_.add(seen({found})));
  const std::optional<EpochRecord> ended =
      records_.add(seen({}, {found, TaskFinished{task, NodeId(0), std::chrono::seconds(7)}}));
  ASSERT_TRUE(ended);
  ASSERT_EQ(ended->ended->tasks.size(), 1U);
  EXPECT_EQ(ended->ended->tasks[0].ran, std::chrono::seconds(7));
  EXPECT_EQ(ended->ended->tasks[0].expected, cluster().tasks[task].cpu);
  EXPECT_EQ(ended->snapshot.cluster.tasks[task].state, TaskState::finished);
  const std::optional<EpochRecord> gone = records_.add(seen({TaskWithdrawn{task}}));
  EXPECT_TRUE(!gone || gone->ended->tasks.empty()) << "its end is told once";
  Node dear = cluster().nodes[NodeId(1)];
  dear.price = dear.price * 2;
  EXPECT_TRUE(records_.add(seen({TaskWithdrawn{task}, NodeChanged{NodeId(1), dear}})));
}

TEST_F(WatchedRecordsTest, BeginAnewWhereNobodyHasLookedForAWhile) {
  const TimePoint since = records_.add(seen())->ended->since;
  WatchedCluster later = seen();
  later.anew = true;
  const std::optional<EpochRecord> record = records_.add(std::move(later));
  ASSERT_TRUE(record);
  EXPECT_GT(record->ended->since, since) << "as after a restart: what ended in between is not known";
}

TEST_F(WatchedRecordsTest, SayInAFileThatOthersDecided) {
  EpochRecord record = *records_.add(seen());
  record.policy = "spread";
  const Result<EpochRecord> read = read_epoch("j", write_epoch(record));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->watched);
  record.watched = false;
  EXPECT_FALSE(read_epoch("j", write_epoch(record))->watched);
}

}  // namespace
}  // namespace lips
