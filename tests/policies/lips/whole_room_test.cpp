// Tasks that take more than half of a node.
#include "policies/lips/prices/whole_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"
#include "policies/lips/supply/classes.h"
#include "tests/policies/case.h"
#include "tests/policies/elastic_builder.h"

namespace lips::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Two fixed nodes of four cores, each with a task on one core, and an offer of such nodes.
struct HalfFreeNodes : ::testing::Test {
  static constexpr double usd = 0.1 / 3600;  // of a CPU-second, as those of the offer cost
  ElasticBuilder builder{1};
  NodeId first = builder.node({.price = usd, .slots = 4, .cpu = 4}),
         second = builder.node({.price = usd, .slots = 4, .cpu = 4});
  OfferId offer = builder.offer(ZoneId(0), 0.4);

  // A task of four cores and ten minutes, where the others run for so many seconds.
  Plan plan_of_a_large_task(double first_ends, double second_ends) const {
    PolicySettings settings;
    settings.lips.waiting_per_job = 0;
    Case with("lips", builder, settings);
    for (const auto& [node, seconds] : {std::pair(first, first_ends), std::pair(second, second_ends)}) {
      const JobId job = with.add({.maps = 1, .cpu = seconds});
      EXPECT_TRUE(with.state.assume({with.task(job, 0), node, {}, {}}));
    }
    with.add({.maps = 1, .cpu = 2400, .cores = 4});
    return with.plan();
  }
};

TEST_F(HalfFreeNodes, TakeALargeTaskOnceOneIsEmpty) {
  const Plan plan = plan_of_a_large_task(60, 36'000);
  EXPECT_THAT(plan.assignments, IsEmpty());
  EXPECT_TRUE(!plan.node_requests || plan.node_requests->empty()) << "a node is empty in a minute";
}

TEST_F(HalfFreeNodes, AreNotWaitedForAllDay) {
  const Plan plan = plan_of_a_large_task(36'000, 36'000);
  EXPECT_THAT(plan.assignments, IsEmpty());
  ASSERT_TRUE(plan.node_requests.has_value());
  EXPECT_THAT(*plan.node_requests, SizeIs(1));
}

// The first moment at which one node has the room, less the first at which all together have as much.
TEST(RoomWait, IsThatForOneNodeBeyondThatForAllOfThem) {
  int waits = 0, none = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    ElasticBuilder builder(1);
    std::vector<NodeId> nodes;
    for (std::uint64_t n = 1 + random.below(5); n > 0; --n)
      nodes.push_back(random.below(4) == 0 ? builder.elastic_node(ZoneId(0), 0.4)
                                           : builder.node({.slots = 4, .cpu = 4}));
    Case with("lips", builder);
    std::map<double, NodeId> ends;
    for (const NodeId node : nodes)
      for (std::uint64_t k = random.below(5); k > 0; --k) {
        const double seconds = random.uniform(1, 1000);
        const JobId job = with.add({.maps = 1, .cpu = seconds});
        ASSERT_TRUE(with.state.assume({with.task(job, 0), node, {}, {}}));
        ends.emplace(seconds, node);
      }
    const double cores = static_cast<double>(1 + random.below(4));
    const JobId large = with.add({.maps = 3, .cpu = 100, .cores = cores});
    const Resources request = with.state.snapshot().jobs[large].request;
    TimeSlotSettings settings;
    settings.billing = Billing::invoice;
    const ClusterSnapshot& cluster = with.state.snapshot();
    const NodeClasses classes = make_classes(cluster, settings);
    bool somewhere = false;
    for (const NodeClass& group : classes.classes) {
      std::map<NodeId, double> free;
      double all = 0, together = -1, one = -1;
      for (const NodeId node : group.nodes) all += free[node] = cluster.free[node].cpu.value();
      const auto look = [&](double now) {
        if (together < 0 && all >= cores) together = now;
        for (const auto& [node, room] : free)
          if (one < 0 && room >= cores) one = now;
      };
      look(0);
      for (const auto& [at, node] : ends)
        if (free.contains(node)) ++free[node], ++all, look(at);
      const bool others_come = cluster.nodes[group.like].fleet == FleetKind::elastic;
      const double expected = others_come || 4 / cores >= 2 ? 0 : std::max(0.0, one - together);
      EXPECT_NEAR(group.room_wait(request), expected, 1e-6);
      (expected > 0 ? waits : none)++;
      somewhere = somewhere || expected > 0;
    }
    EXPECT_EQ(waits_for_room(classes, request), somewhere);
  }
  EXPECT_GT(waits, 40);
  EXPECT_GT(none, 50);
}

}  // namespace
}  // namespace lips::testing
