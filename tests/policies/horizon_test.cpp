// Plans over a horizon pack whole tasks where the program counted on divisible work.
#include <gtest/gtest.h>

#include "policies/registry/registry.h"
#include "records/snapshot_file.h"

namespace lips {
namespace {

// The small task goes first, to the one node that holds the large one, and another node would hold it as well.
TEST(Horizon, LeavesNoTaskOutThatAnotherOrderHasRoomFor) {
  const Result<SnapshotFile> file = load_snapshot(LIPS_SOURCE_DIR "/tests/data/horizon-leaves-a-task.json");
  ASSERT_TRUE(file) << file.error().message;
  PolicySettings settings;
  settings.lips.horizon = std::chrono::seconds(600);
  std::vector<NodeId> all;
  for (const NodeId node : file->cluster.nodes.ids()) all.push_back(node);
  const Result<Plan> plan = (*make_policy("lips", settings))->decide({file->cluster, file->costs, 1, all, nullptr});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->assignments.size(), file->cluster.pending_tasks);
}

}  // namespace
}  // namespace lips
