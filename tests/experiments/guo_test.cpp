#include "experiments/guo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/guo_setup.h"

namespace lips::experiments {
namespace {

const Claim& find(const std::vector<Claim>& claims, std::string_view id) {
  for (const Claim& claim : claims)
    if (claim.id == id) return claim;
  ADD_FAILURE() << "no claim " << id;
  static const Claim none;
  return none;
}

ExperimentResult result_of(const char* name) {
  ExperimentRun run;
  run.quick = true;
  run.threads = 2;
  const Result<ExperimentResult> result = find_experiments(name).at(0)->run(run);
  EXPECT_TRUE(result) << name;
  return result.value_or(ExperimentResult{});
}

TEST(GuoExperiments, FindThePrintedLocality) {
  const ExperimentResult sizes = result_of("guo-4.2a");
  for (const char* id : {"dl-local", "lsap-local"}) EXPECT_TRUE(find(sizes.claims, id).agrees()) << id;
  const ExperimentResult replicas = result_of("guo-4.2b");
  EXPECT_TRUE(find(replicas.claims, "lsap/3/1").agrees());
  EXPECT_TRUE(find(replicas.claims, "lsap/5/1").agrees());
  EXPECT_FALSE(find(replicas.claims, "lsap/3/4").agrees());
}

TEST(GuoExperiments, TradeFairnessForLocalityInSteps) {
  const ExperimentResult result = result_of("guo-4.4");
  std::size_t by_formula = 0;
  for (const Claim& claim : result.claims)
    if (!claim.other_reading) {
      ++by_formula;
      EXPECT_TRUE(claim.agrees()) << claim.what;
    }
  EXPECT_EQ(by_formula, 4u);
}

TEST(GuoExperiments, LoseMostOfTheLocalityCostWithMoreReplicas) {
  const ExperimentResult result = result_of("guo-4.3d");
  EXPECT_TRUE(find(result.claims, "dlc-9/100/level means known").agrees());
}

TEST(GuoSetup, HasTheSlotsTasksAndReplicasThatAreAskedFor) {
  GuoShape shape;
  shape.nodes = 30;
  shape.slots = 3;
  shape.idle = 40;
  shape.tasks = 55;
  shape.replicas = 4;
  shape.rack_size = 10;
  shape.group_weights = {1, 2};
  const ClusterState state = guo_setup(shape, 7);
  const ClusterSnapshot& cluster = state.snapshot();
  std::int32_t idle = 0;
  for (const Resources& free : cluster.free) idle += free.slots;
  EXPECT_EQ(idle, 40);
  EXPECT_EQ(cluster.running.size(), 50u);
  EXPECT_EQ(cluster.pending_tasks, 55u);
  EXPECT_EQ(cluster.racks.size(), 3u);
  for (const Block& block : cluster.blocks) {
    EXPECT_EQ(block.replicas.size(), 4u);
    for (std::size_t i = 1; i < block.replicas.size(); ++i)
      EXPECT_LT(block.replicas[i - 1].store, block.replicas[i].store);
  }
}

TEST(DrawnCosts, AreNeverUndercutByAnyPolicy) {
  GuoShape shape;
  shape.nodes = 40;
  shape.slots = 2;
  shape.idle = shape.tasks = 30;
  shape.rack_size = 10;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ClusterState state = guo_setup(shape, seed);
    for (const CostDraw draw : {CostDraw::per_pair, CostDraw::per_task}) {
      const DrawnCosts costs(state.snapshot(), draw, seed);
      for (const char* policy : {"dl-sched", "lsap", "lsap-uniform"}) {
        const std::vector<Assignment> assignments = decide(policy, state.snapshot(), seed);
        EXPECT_EQ(assignments.size(), 30u);
        EXPECT_LE(costs.least_sum(state.snapshot()), costs.sum(assignments) + 1e-9) << policy;
      }
    }
  }
}

TEST(Claim, AgreesWhenEveryMeanIsWithinItsBand) {
  Claim claim{"1", "what", "5", 4, 6, {{4.5, 0, 9}, {5.5, 0, 9}}};
  EXPECT_TRUE(claim.agrees());
  claim.ours[1].mean = 6.5;
  EXPECT_FALSE(claim.agrees());
  claim.ours.clear();
  EXPECT_FALSE(claim.agrees());
}

}  // namespace
}  // namespace lips::experiments
