#include <set>

#include "tests/policies/case.h"
#include "tests/policies/elastic_builder.h"

namespace lips::testing {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

constexpr const char* single_zone_round_robin = "single-zone-round-robin";

std::set<ZoneId> zones_of(const Case& with, const std::vector<Assignment>& assignments, JobId job) {
  std::set<ZoneId> zones;
  for (const Assignment& assignment : assignments)
    if (with.state.snapshot().tasks[assignment.task].job == job)
      zones.insert(with.state.snapshot().nodes[assignment.node].zone);
  return zones;
}

TEST(SingleZoneRoundRobin, GivesEachJobTheNextZoneAndKeepsItsTasksThere) {
  ClusterBuilder builder(3);
  for (std::uint32_t zone = 0; zone < 3; ++zone) builder.node({.zone = ZoneId(zone), .slots = 8, .cpu = 8});
  Case with(single_zone_round_robin, builder);
  std::vector<JobId> jobs;
  for (int i = 0; i < 4; ++i) jobs.push_back(with.add({.arrival = static_cast<double>(i), .maps = 3}));
  const std::vector<Assignment> assigned = with.step();
  EXPECT_THAT(assigned, SizeIs(12));
  for (std::uint32_t i = 0; i < 4; ++i)
    EXPECT_EQ(zones_of(with, assigned, jobs[i]), std::set<ZoneId>{ZoneId(i % 3)}) << i;
}

TEST(SingleZoneRoundRobin, WaitsWhenTheZoneIsFull) {
  ClusterBuilder builder(2);
  const NodeId here = builder.node({.slots = 1});
  builder.node({.zone = ZoneId(1), .slots = 4, .cpu = 4});
  Case with(single_zone_round_robin, builder);
  const JobId job = with.add({.maps = 2});
  ASSERT_THAT(with.step(), ::testing::ElementsAre(Runs(with.task(job, 0), here)));
  EXPECT_THAT(with.step(), IsEmpty()) << "and remembers its zone";
  with.finish(with.task(job, 0));
  EXPECT_THAT(with.step(), ::testing::ElementsAre(Runs(with.task(job, 1), here)));
}

TEST(SingleZoneRoundRobin, PassesOverZonesWhereTheJobCannotRun) {
  ClusterBuilder builder(2);
  builder.node();
  const NodeId large = builder.node({.zone = ZoneId(1), .slots = 4, .cpu = 4});
  Case with(single_zone_round_robin, builder);
  const JobId job = with.add({.maps = 1, .cores = 4});
  EXPECT_THAT(with.step(), ::testing::ElementsAre(Runs(with.task(job, 0), large)));
}

TEST(SingleZoneRoundRobin, RequestsNodesInTheZoneOfTheJobThoughOthersAreCheaper) {
  ElasticBuilder builder(2);
  const OfferId dear = builder.offer(ZoneId(0), 0.4);
  builder.offer(ZoneId(1), 0.1);
  Case with(single_zone_round_robin, builder);
  with.add({.maps = 3});
  const Plan plan = with.plan();
  EXPECT_THAT(plan.node_requests, Optional(SizeIs(3)));
  EXPECT_THAT(plan.node_requests, Optional(Each(Field(&NodeRequest::offer, dear))));
}

}  // namespace
}  // namespace lips::testing
