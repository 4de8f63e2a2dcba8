// Enough tasks of a gang start together or none does, whatever policy plans.
#include "model/gangs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/validate_plan.h"
#include "policies/registry/registry.h"
#include "simulation/random_snapshot.h"
#include "tests/model/difference.h"
#include "tests/policies/random_world.h"

namespace lips {
namespace {

using ::testing::IsEmpty;
using testing::RandomWorld;
using testing::settings_for;

std::map<WholeJobId, std::uint32_t> starts_of(const ClusterSnapshot& cluster, const Plan& plan) {
  std::map<WholeJobId, std::uint32_t> starts;
  for (const Assignment& assignment : plan.assignments)
    ++starts[cluster.jobs[cluster.tasks[assignment.task].job].whole.id];
  return starts;
}

struct Counted {
  std::size_t whole = 0, waiting = 0;
};

void expect_whole_gangs(const ClusterSnapshot& cluster, const Plan& plan, Counted& counted) {
  const std::map<WholeJobId, std::uint32_t> starts = starts_of(cluster, plan);
  for (const auto& [gang, least] : short_gangs(cluster)) {
    const auto started = starts.find(gang);
    const bool any = started != starts.end();
    ++(any ? counted.whole : counted.waiting);
    EXPECT_TRUE(!any || started->second >= least) << "of " << least;
  }
}

RandomWorld world_of_gangs(std::uint64_t seed) {
  simulation::SnapshotShape shape = simulation::random_full_shape(seed);
  shape.share_of_jobs_of_peers = 0.8;
  shape.share_of_data_sets_with_codes = 0;  // lost blocks are decoded before anything else
  return RandomWorld(shape);
}

TEST(Gangs, AreStartedWholeByTheOperatorsPolicy) {
  Counted counted;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomWorld world = world_of_gangs(seed);
    PolicySettings settings = settings_for(seed);
    settings.lips.horizon = Duration(0);
    settings.lips.home_zones = true;
    settings.lips.billing = seed % 2 == 0 ? Billing::invoice : Billing::use;
    const Result<Plan> plan = world.decide("lips", settings);
    ASSERT_TRUE(plan) << plan.error().message;
    expect_whole_gangs(world.cluster, *plan, counted);
  }
  EXPECT_GT(counted.whole, 300u);
  EXPECT_GT(counted.waiting, 300u);
}

TEST(Gangs, AreHeldBackUnderEveryPolicyWhereItStartsTooFew) {
  Counted counted;
  for (const PolicyEntry& entry : policy_registry()) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      SCOPED_TRACE(std::string(entry.name) + ", seed " + std::to_string(seed));
      const RandomWorld world = world_of_gangs(seed);
      Result<Plan> plan = world.decide(entry.name, settings_for(seed));
      ASSERT_TRUE(plan) << plan.error().message;
      hold_back_parts_of_gangs(world.cluster, *plan);
      EXPECT_THAT(validate_plan(world.cluster, *plan), IsEmpty());
      expect_whole_gangs(world.cluster, *plan, counted);
    }
  }
  EXPECT_GT(counted.whole, 300u);
  EXPECT_GT(counted.waiting, 300u);
}

// Ids of whole jobs are given in the order in which somebody lists them.
TEST(Gangs, ArePlannedAlikeWhateverNumbersTheirJobsHave) {
  std::size_t starts = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomWorld world = world_of_gangs(seed);
    for (Job& job : world.cluster.jobs) job.arrival = TimePoint{};  // all together
    PolicySettings settings = settings_for(seed);
    settings.lips.horizon = Duration(0);
    settings.lips.home_zones = true;
    settings.lips.billing = seed % 2 == 0 ? Billing::invoice : Billing::use;
    const Result<Plan> plan = world.decide("lips", settings);
    std::uint32_t most = 0;
    for (const Job& job : world.cluster.jobs)
      if (job.whole.id.valid()) most = std::max(most, job.whole.id.index());
    for (Job& job : world.cluster.jobs)
      if (job.whole.id.valid()) job.whole.id = WholeJobId(most - job.whole.id.index());
    const Result<Plan> reversed = world.decide("lips", settings);
    ASSERT_TRUE(plan && reversed);
    EXPECT_EQ(testing::difference(plan->assignments, reversed->assignments), "");
    EXPECT_EQ(testing::difference(plan->deferrals, reversed->deferrals), "");
    EXPECT_EQ(testing::difference(plan->node_requests, reversed->node_requests), "");
    starts += plan->assignments.size();
  }
  EXPECT_GT(starts, 1000u);
}

// One of which a block is lost would be decoded, while the others wait for it.
TEST(Gangs, DoNotStartWithTheirDegradedTasksAlone) {
  Counted counted;
  std::size_t degraded = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    simulation::SnapshotShape shape = simulation::random_full_shape(seed);
    shape.share_of_jobs_of_peers = 0.8;
    const RandomWorld world(shape);
    PolicySettings settings = settings_for(seed);
    settings.lips.horizon = Duration(0);
    settings.lips.home_zones = true;
    const Result<Plan> plan = world.decide("lips", settings);
    ASSERT_TRUE(plan) << plan.error().message;
    for (const Assignment& assignment : plan->assignments) degraded += !assignment.sources.empty();
    expect_whole_gangs(world.cluster, *plan, counted);
  }
  EXPECT_GT(degraded, 10u);
}

}  // namespace
}  // namespace lips
