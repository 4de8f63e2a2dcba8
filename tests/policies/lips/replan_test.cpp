// Plans depend on the snapshot alone, whatever led to it.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "policies/registry/registry.h"
#include "records/digest.h"
#include "records/snapshot_file.h"
#include "tests/policies/random_events.h"
#include "tests/policies/random_world.h"

namespace lips {
namespace {

PolicySettings settings_of(std::uint64_t seed) {
  PolicySettings settings = testing::settings_for(seed);
  if (seed % 2 == 0) settings.lips.horizon = Duration(0);
  settings.lips.fast_path_limit = Usd(seed % 3 == 0 ? 0.01 : 0);
  settings.lips.billing = seed % 4 == 1 ? Billing::use : Billing::invoice;
  return settings;
}

std::string planned(const Policy& policy, const ClusterSnapshot& cluster, const CostModel& costs) {
  const Result<Plan> plan = policy.decide({cluster, costs, 1, {}, nullptr});
  return plan ? plan_digest(*plan) : plan.error().message;
}

// The plan of a process that knows nothing but the snapshot.
std::string planned_afresh(const ClusterSnapshot& cluster, const CostModel& costs, const PolicySettings& settings) {
  const Result<SnapshotFile> read =
      read_snapshot("snapshot", write_snapshot(cluster, costs, SnapshotDetail::exact), SnapshotOrder::as_written);
  if (!read) return read.error().message;
  return planned(**make_policy("lips", settings), read->cluster, read->costs);
}

TEST(LipsReplan, AfterAnyHistoryIsThePlanOfAFreshProcess) {
  std::set<std::string> different;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ClusterState state = testing::random_state(seed);
    const CostModel costs = uniform_costs(state.snapshot().zones.size(), UsdPerMebibyte(0.001));
    const PolicySettings settings = settings_of(seed);
    const auto policy = *make_policy("lips", settings);  // one for the whole history
    testing::RandomEvents events(derive_seed(seed, 2), state);
    std::string plan;
    for (int i = 0; i < 24; ++i) {
      events.next();
      if (i % 8 == 7) plan = planned(*policy, state.snapshot(), costs);
    }
    ASSERT_EQ(plan, planned_afresh(state.snapshot(), costs, settings));
    different.insert(plan);
  }
  EXPECT_GT(different.size(), 1900u);
}

}  // namespace
}  // namespace lips
