// Long tasks on nodes that an autoscaler keeps only for them.
#include "policies/lips/prices/length_price.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "policies/lips/supply/classes.h"
#include "tests/policies/case.h"
#include "tests/policies/elastic_builder.h"

namespace lips::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double an_hour = 3600;

// A node of four cores, on one of which a task runs for another minute, and an offer of nodes of one core.
struct ALargeNode : ::testing::Test {
  ElasticBuilder builder{1};
  NodeId large = builder.elastic_node(ZoneId(0), 0.4);
  OfferId small = builder.offer(ZoneId(0), 0.1);

  ALargeNode() {
    Node& one_core = builder.start.nodes[builder.start.offers[small].like];
    one_core.capacity = {Cores(1), Mebibytes(one_core.capacity.memory.value() / 4), 1};
    one_core.cpu_price = full_packing_price(one_core.price, one_core.capacity.cpu, one_core.speed);
  }
  Case with_a_minute_to_run() const {
    Case with("lips", builder);
    const JobId job = with.add({.maps = 1, .cpu = 60});
    EXPECT_TRUE(with.state.assume({with.task(job, 0), large, {}, {}}));
    return with;
  }
};

TEST_F(ALargeNode, IsNotKeptForOneLongTaskWhereASmallOneCanBeHad) {
  Case with = with_a_minute_to_run();
  with.add({.maps = 1, .cpu = 2 * an_hour});
  const Plan plan = with.plan();
  EXPECT_THAT(plan.assignments, IsEmpty());
  ASSERT_TRUE(plan.node_requests.has_value());
  ASSERT_THAT(*plan.node_requests, SizeIs(1));
  EXPECT_EQ(plan.node_requests->front().offer, small);
}

TEST_F(ALargeNode, RunsAShortTaskInTimeThatIsPaidAnyway) {
  Case with = with_a_minute_to_run();
  with.add({.maps = 1, .cpu = 70});  // and the node is idle for 20 s before it goes
  EXPECT_THAT(with.plan().assignments, SizeIs(1));
}

TEST_F(ALargeNode, RunsLongTasksThatFillIt) {
  Case with = with_a_minute_to_run();
  with.add({.maps = 4, .cpu = 2 * an_hour});
  EXPECT_THAT(with.plan().assignments, SizeIs(3));
}

TEST_F(ALargeNode, IsNotFilledByTasksThatEndLongBefore) {
  Case with = with_a_minute_to_run();
  with.add({.maps = 40, .cpu = an_hour / 4});
  const JobId job = with.add({.maps = 1, .cpu = 2 * an_hour});
  for (const Assignment& assignment : with.plan().assignments)
    EXPECT_NE(with.state.snapshot().tasks[assignment.task].job, job);
}

// (1 - p / d) (1 - u) / (1 + u) of the class's price, whatever runs and waits; nothing on nodes that stay.
TEST(LengthPrice, IsThatOfTheUnusedHalfOfTheRestBeyondWhatIsPaid) {
  int charged = 0, paid_for = 0, filled = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    ElasticBuilder builder(2);
    builder.offer(ZoneId(0), random.uniform(0.1, 1));
    builder.node({.zone = ZoneId(1), .slots = 8, .cpu = 8});
    std::vector<NodeId> nodes;
    for (std::uint64_t n = 1 + random.below(3); n > 0; --n)
      nodes.push_back(
          builder.elastic_node(ZoneId(static_cast<std::uint32_t>(random.below(2))), random.uniform(0.1, 1)));
    Case with("lips", builder);
    double running = 0;
    std::vector<double> ends(nodes.size(), 0);  // seconds from now
    for (std::size_t n = 0; n < nodes.size(); ++n)
      for (std::uint64_t k = random.below(5); k > 0; --k) {
        const double seconds = random.uniform(10, 1000);
        const JobId job = with.add({.maps = 1, .cpu = seconds});
        ASSERT_TRUE(with.state.assume({with.task(job, 0), nodes[n], {}, {}}));
        ends[n] = std::max(ends[n], seconds), ++running;
      }
    std::vector<std::pair<double, double>> waiting;  // seconds, tasks
    for (std::uint64_t k = 1 + random.below(6); k > 0; --k) {
      const std::size_t doublings = 3 + random.below(10);
      waiting.emplace_back(static_cast<double>(std::size_t{1} << doublings),
                           std::exp2(static_cast<double>(random.below(7))));
      with.add({.maps = static_cast<int>(waiting.back().second), .cpu = waiting.back().first});
    }
    TimeSlotSettings settings;
    settings.billing = Billing::invoice;
    const NodeClasses classes = make_classes(with.state.snapshot(), settings);
    for (const auto& [seconds, tasks] : waiting) {
      Commodity commodity;
      commodity.longest = seconds;
      commodity.work = seconds * tasks;
      commodity.request.cpu = Cores(1);
      double at_least = 0;
      for (const auto& [other, count] : waiting) at_least += other >= seconds ? count : 0;
      const double in_use = running / (4 * static_cast<double>(nodes.size()));
      const double used = std::min(1.0, std::max({in_use, tasks / 4, at_least / 4 / 8}));
      for (const NodeClass& group : classes.classes) {
        double paid = 0;
        for (std::size_t n = 0; n < nodes.size(); ++n)
          if (std::find(group.nodes.begin(), group.nodes.end(), nodes[n]) != group.nodes.end() &&
              with.state.snapshot().free[nodes[n]].cpu.value() > 0)
            paid = std::max(paid, ends[n] + 20);
        const double expected =
            group.whole ? std::max(0.0, 1 - paid / seconds) * (1 - used) / (1 + used) * group.price.value() : 0;
        EXPECT_NEAR(price_of_rest(classes, group, commodity), expected, 1e-12);
        charged += expected > 0;
        paid_for += group.whole && paid >= seconds;
        filled += group.whole && used >= 1;
      }
    }
  }
  EXPECT_GT(charged, 300);
  EXPECT_GT(paid_for, 100);
  EXPECT_GT(filled, 100);
}

}  // namespace
}  // namespace lips::testing
