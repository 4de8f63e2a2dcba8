#include "policies/lips/demand/homes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/cluster_state.h"
#include "policies/lips/supply/classes.h"

namespace lips {
namespace {

using ::testing::ElementsAre;

// Zone 0 is cheap and has small nodes, zone 1 is dear and has large ones.
ClusterSnapshot small_and_large() {
  ClusterSnapshot start;
  start.profiles.push_back({});
  start.pools.push_back({"pool", 1, {}, {}, {}});
  for (std::uint32_t z = 0; z < 2; ++z) {
    start.zones.push_back({z == 0 ? "cheap" : "dear"});
    for (int i = 0; i < (z == 0 ? 8 : 2); ++i) {
      Node node;
      node.zone = ZoneId(z);
      node.profile = ProfileId(0);
      node.capacity = {Cores(z == 0 ? 2 : 8), Mebibytes(1e5), 100};
      node.cpu_price = UsdPerCpuSecond(z == 0 ? 1e-6 : 2e-6);
      start.nodes.push_back(node);
    }
  }
  return start;
}

JobArrived part(std::uint32_t maps, std::uint32_t reduces, double cores) {
  JobArrived arrived;
  arrived.job.pool = PoolId(0);
  arrived.job.request = {Cores(cores), Mebibytes(1), 1};
  arrived.job.shuffle = Mebibytes(1024);
  arrived.job.map_tasks = maps;
  arrived.job.reduce_tasks = reduces;
  for (std::uint32_t i = 0; i < maps + reduces; ++i) {
    Task task;
    task.kind = i < maps ? TaskKind::map : TaskKind::reduce;
    task.cpu = CpuSeconds(10);
    arrived.tasks.push_back(task);
  }
  return arrived;
}

Homes homes_of(const ClusterState& state) {
  const CostModel costs = uniform_costs(2, UsdPerMebibyte(1e-5));
  TimeSlotSettings time_slots;
  time_slots.edges = {Duration(0), Duration(std::chrono::minutes(10))};
  return choose_homes({state.snapshot(), costs, 1, {}, nullptr}, make_classes(state.snapshot(), time_slots), {});
}

TEST(Homes, AreWhereANodeHasRoomForAReduceAndNotWhereManyHaveRoomForHalfOfOne) {
  ClusterState state(small_and_large());
  state.apply(part(2, 2, 1));
  EXPECT_THAT(homes_of(state).zone, ElementsAre(ZoneId(0)));
  state.apply(part(2, 2, 4));  // 16 cores are free in zone 0, on nodes of 2
  EXPECT_THAT(homes_of(state).zone, ElementsAre(ZoneId(0), ZoneId(1)));
}

TEST(Homes, OfTheMapsOfAWholeJobAreWhereItsReducesFindRoom) {
  ClusterState state(small_and_large());
  JobArrived maps = part(4, 0, 1), reduces = part(0, 2, 4);
  maps.job.whole = {WholeJobId(0), 4, 2, 0, {}};
  reduces.job.whole = maps.job.whole;
  state.apply(maps);
  EXPECT_THAT(homes_of(state).zone, ElementsAre(ZoneId(0))) << "nobody has seen the reduces yet";
  state.apply(reduces);
  const Homes homes = homes_of(state);
  EXPECT_EQ(homes.zone[0], ZoneId(1));
  EXPECT_THAT(homes.decided, ElementsAre(JobId(0)));
}

TEST(Homes, AreTheSameForAllPartsOfAWholeJob) {
  ClusterState state(small_and_large());
  for (int i = 0; i < 3; ++i) {
    JobArrived some = part(2, 1, 1 + i % 2);
    some.job.whole = {WholeJobId(0), 6, 3, 0, {}};
    state.apply(some);
  }
  const Homes homes = homes_of(state);
  EXPECT_THAT(homes.decided, ElementsAre(JobId(0), JobId(1), JobId(2)));
  EXPECT_EQ(homes.zone[0], homes.zone[1]);
  EXPECT_EQ(homes.zone[0], homes.zone[2]);
}

}  // namespace
}  // namespace lips
