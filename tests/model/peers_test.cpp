#include "model/peers.h"

#include <gtest/gtest.h>

#include "tests/policies/snapshot_builder.h"

namespace lips {
namespace {

constexpr UsdPerMebibyte across{0.01};

TEST(Exchange, CostsWhatIsNotBetweenTasksOfAZone) {
  const CostModel costs = uniform_costs(3, across);
  const auto cost = [&](std::vector<double> tasks) {
    return exchange_cost(costs, Mebibytes(100), PeersByZone(std::move(tasks))).value();
  };
  EXPECT_DOUBLE_EQ(cost({4, 0, 0}), 0);
  EXPECT_DOUBLE_EQ(cost({2, 0, 2}), 0.5);
  EXPECT_DOUBLE_EQ(cost({3, 1, 0}), 1 - 0.5625 - 0.0625);
  EXPECT_DOUBLE_EQ(cost({1, 1, 1}), 2.0 / 3);
  EXPECT_DOUBLE_EQ(cost({0, 0, 0}), 0);
}

TEST(Exchange, HasThePriceOfEachPairAndDirection) {
  const CostModel costs({{UsdPerMebibyte(0), UsdPerMebibyte(0.01)}, {UsdPerMebibyte(0.03), UsdPerMebibyte(0)}});
  EXPECT_DOUBLE_EQ(exchange_cost(costs, Mebibytes(100), PeersByZone(std::vector<double>{1, 1})).value(),
                   100 * 0.25 * (0.01 + 0.03));
}

TEST(Exchange, OfAPlanIsWhatItAddsToThatOfRunningPeers) {
  testing::ClusterBuilder builder(2);
  const NodeId here = builder.node({.zone = ZoneId(0), .slots = 8, .cpu = 8});
  const NodeId there = builder.node({.zone = ZoneId(1), .slots = 8, .cpu = 8});
  ClusterState state(builder.start);
  JobArrived arrived = testing::job(state.snapshot(), {.maps = 4, .shuffle = 100});
  arrived.job.whole.id = WholeJobId(0);
  arrived.job.whole.peers = true;
  state.apply(arrived);
  const CostModel costs = uniform_costs(2, across);
  const auto adds = [&](const std::vector<Assignment>& plan) {
    return exchange_cost(state.snapshot(), costs, plan).value();
  };
  const auto on = [](std::uint32_t task, NodeId node) { return Assignment{TaskId(task), node, {}, {}}; };
  EXPECT_DOUBLE_EQ(adds({on(0, here), on(1, here)}), 0);
  EXPECT_DOUBLE_EQ(adds({on(0, here), on(1, there)}), 0.5);
  ASSERT_TRUE(state.assume(on(0, here)));
  ASSERT_TRUE(state.assume(on(1, there)));
  EXPECT_EQ(running_peers(state.snapshot()).at(WholeJobId(0)).in_zone, PeersByZone(std::vector<double>{1, 1}));
  EXPECT_DOUBLE_EQ(adds({on(2, here)}), 0) << "two of three beside each other cross less than one of two";
}

}  // namespace
}  // namespace lips
