// Two cheap nodes and a dear one with four GPUs; eight tasks that need cores alone, two that need a GPU too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policies/registry/registry.h"
#include "records/snapshot_file.h"

namespace lips {
namespace {

class GpuMix : public ::testing::TestWithParam<const char*> {
 protected:
  GpuMix() {
    Result<SnapshotFile> loaded = load_snapshot(std::string(LIPS_SOURCE_DIR "/tests/data/") + GetParam());
    EXPECT_TRUE(loaded.has_value()) << (loaded ? "" : loaded.error().message);
    if (loaded) file_ = std::move(*loaded);
  }
  Plan plan(std::string_view policy, Duration horizon) const {
    PolicySettings settings;
    settings.lips.horizon = horizon;
    settings.paper.epoch = settings.paper.uptime = std::chrono::seconds(600);
    std::vector<NodeId> all;
    for (NodeId node : file_.cluster.nodes.ids()) all.push_back(node);
    Result<Plan> made = (*make_policy(policy, settings))->decide({file_.cluster, file_.costs, 1, all, nullptr});
    EXPECT_TRUE(made.has_value()) << policy;
    return made ? *made : Plan{};
  }
  double cheapest_of_all() const {
    double least = 1e300;
    for (const PolicyEntry& entry : policy_registry())
      if (const Plan made = plan(entry.name, std::chrono::seconds(600)); made.assignments.size() == pending())
        least = std::min(least, made.account.dollars().value());
    return least;
  }
  std::size_t pending() const { return file_.cluster.pending_tasks; }

  SnapshotFile file_;
};

TEST_P(GpuMix, LipsServesEveryTaskForWhatTheCheapestPolicyPays) {
  const double least = cheapest_of_all();
  for (const Duration horizon : {Duration(std::chrono::seconds(600)), Duration(0)}) {
    SCOPED_TRACE(horizon.count() > 0 ? "one horizon" : "time_slots of waiting");
    const Plan made = plan("lips", horizon);
    EXPECT_EQ(made.assignments.size(), pending());
    EXPECT_LE(made.account.dollars().value(), least * 1.01);
    ASSERT_TRUE(made.account.lower_bound.has_value());
    EXPECT_LE(made.account.lower_bound->value(), least * (1 + 1e-9));
  }
}

INSTANTIATE_TEST_SUITE_P(Snapshots, GpuMix, ::testing::Values("gpus-beside-cpus.json", "gpus-come-last.json"),
                         [](const auto& file) { return file.index == 0 ? "Beside" : "Last"; });

}  // namespace
}  // namespace lips
