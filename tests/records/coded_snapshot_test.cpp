#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/stripe.h"
#include "records/snapshot_file.h"
#include "tests/policies/degraded/coded_cluster.h"

namespace lips {
namespace {

using ::testing::HasSubstr;

TEST(CodedSnapshotFile, KeepsWhatDegradedFirstHasToKnow) {
  ClusterState state = testing::coded_state({}, 3);
  state.advance(TimePoint(std::chrono::seconds(70)));
  testing::lose_node(state, NodeId(2));
  ASSERT_TRUE(state.assume(testing::first_degraded(state.snapshot(), NodeId(4))));
  const std::string text = write_snapshot(state.snapshot(), CostModel{});
  const Result<SnapshotFile> read = read_snapshot("coded.json", text, SnapshotOrder::as_written);
  ASSERT_TRUE(read) << read.error().message;
  const ClusterSnapshot &before = state.snapshot(), &after = read->cluster;
  EXPECT_EQ(after.jobs[JobId(0)].degraded_launched, 1u);
  EXPECT_EQ(after.rack_degraded[before.nodes[NodeId(4)].rack], before.now);
  EXPECT_EQ(after.data_sets[DataSetId(0)].size, before.data_sets[DataSetId(0)].size);
  for (TaskId task : before.tasks.ids()) EXPECT_EQ(after.tasks[task].degraded, before.tasks[task].degraded);
  EXPECT_EQ(write_snapshot(after, CostModel{}), text);
  const Result<SnapshotFile> sorted = read_snapshot("coded.json", text, SnapshotOrder::canonical);
  ASSERT_TRUE(sorted) << sorted.error().message;
  EXPECT_EQ(sorted->cluster.jobs[JobId(0)].degraded_launched, 1u);
}

TEST(CodedSnapshotFile, RefusesCodesThatCannotBe) {
  std::string text = write_snapshot(testing::coded_state({}, 3).snapshot(), CostModel{});
  const std::string old = "\"codeK\":4";
  const std::size_t at = text.find(old);
  ASSERT_NE(at, std::string::npos) << text.substr(0, 400);
  text.replace(at, old.size(), "\"codeK\":6");
  const Result<SnapshotFile> read = read_snapshot("coded.json", text, SnapshotOrder::as_written);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("codeK"));
}

}  // namespace
}  // namespace lips
