// Long tasks on nodes that the cloud may take back.
#include "policies/lips/prices/interruptions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.h"
#include "tests/policies/case.h"
#include "tests/policies/elastic_builder.h"

namespace lips::testing {
namespace {

using ::testing::IsEmpty;

struct Interruptions : ::testing::Test {
  ElasticBuilder builder{2};

  OfferId offer(double usd_an_hour, double interruptions_an_hour, ZoneId zone = ZoneId(0)) {
    const OfferId id = builder.offer(zone, usd_an_hour);
    builder.start.offers[id].interruptions = interruptions_an_hour;
    builder.start.nodes[builder.start.offers[id].like].capacity_type =
        interruptions_an_hour > 0 ? CapacityType::spot : CapacityType::on_demand;
    return id;
  }
  Case small_price_of_waiting() const {
    PolicySettings settings;
    settings.lips.waiting_price = 0.01;
    return {"lips", builder, settings};
  }
  // How many tasks of each job ask for a node of each offer.
  static std::map<std::pair<JobId, OfferId>, int> asked(Case& with) {
    std::map<std::pair<JobId, OfferId>, int> counts;
    const Plan plan = with.plan();
    for (const NodeRequest& request : plan.node_requests.value_or(std::vector<NodeRequest>()))
      ++counts[{with.state.snapshot().tasks[request.task].job, request.offer}];
    return counts;
  }
};

// Seconds until a task is done that starts anew at each interruption.
double time_with_restarts(double rate, double seconds, Random& random) {
  double time = 0;
  for (;;) {
    const double next = random.exponential(1 / rate);
    if (next >= seconds) return time + seconds;
    time += next;
  }
}

TEST_F(Interruptions, CostWhatIsDoneAnewAndTheWaitForIt) {
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    NodeClasses classes;
    classes.waiting = random.uniform(0, 1e-7);
    NodeClass group;
    group.price = UsdPerCpuSecond(random.uniform(1e-6, 1e-4));
    group.speed = random.uniform(0.5, 2);
    const double seconds = random.uniform(10, 10'000), time = seconds / group.speed;
    group.interruptions = random.uniform(0.2, 3) / time;
    double mean = 0;
    constexpr int runs = 40'000;
    for (int k = 0; k < runs; ++k) mean += time_with_restarts(group.interruptions, time, random) / runs;
    const double expected = (mean / time - 1) * group.price.value() + (mean - time) * classes.waiting;
    EXPECT_NEAR(price_of_interruptions(classes, group, seconds), expected, 0.07 * expected);
    group.interruptions = 0.09 / time;
    EXPECT_EQ(price_of_interruptions(classes, group, seconds), 0) << "rare";
  }
}

TEST_F(Interruptions, AreWeighedForTasksOfEachLengthAlone) {
  const OfferId safe = offer(0.4, 0), cheap = offer(0.12, 3);
  Case with = small_price_of_waiting();
  const JobId brief = with.add({.maps = 100, .cpu = 30}), lasting = with.add({.maps = 8, .cpu = 5400});
  const auto found = asked(with);
  EXPECT_GT(found.count({brief, cheap}), 0u);
  EXPECT_EQ(found.count({brief, safe}), 0u);
  EXPECT_GT(found.count({lasting, safe}), 0u);
  EXPECT_EQ(found.count({lasting, cheap}), 0u);
}

// The rate is that of the offers that are like the node.
TEST_F(Interruptions, KeepLongTasksOffNodesThatAreThere) {
  offer(0.4, 0), offer(0.12, 3);
  const NodeId node = builder.elastic_node(ZoneId(0), 0.12);
  builder.start.nodes[node].capacity_type = CapacityType::spot;
  Case with = small_price_of_waiting();
  with.add({.maps = 4, .cpu = 5400});
  EXPECT_THAT(with.plan().assignments, IsEmpty());
  const JobId brief = with.add({.maps = 4, .cpu = 30});
  const Plan plan = with.plan();
  EXPECT_EQ(plan.assignments.size(), 4u);
  for (const Assignment& assignment : plan.assignments)
    EXPECT_EQ(with.state.snapshot().tasks[assignment.task].job, brief);
}

TEST_F(Interruptions, SendTasksToTheOfferOfTheLeastExpectedPrice) {
  int dearer_by_the_list = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    builder = ElasticBuilder(2);
    const double seconds = std::exp(random.uniform(std::log(30), std::log(10'000)));
    std::vector<double> listed, expected;
    for (int i = 0; i < 4; ++i) {
      const double rate = i == 0 ? 0 : random.uniform(0.01, 4), mean = rate * seconds / 3600;
      listed.push_back(random.uniform(0.1, 0.4));
      expected.push_back(listed.back() * (mean > 0 ? std::expm1(mean) / mean : 1));
      offer(listed.back(), rate, ZoneId(static_cast<std::uint32_t>(random.below(2))));
    }
    const double least = *std::min_element(expected.begin(), expected.end());
    const auto cheapest = std::min_element(listed.begin(), listed.end()) - listed.begin();
    dearer_by_the_list += expected[static_cast<std::size_t>(cheapest)] > 1.1 * least;
    Case with = small_price_of_waiting();
    with.add({.maps = 200, .cpu = seconds});
    const auto found = asked(with);
    ASSERT_FALSE(found.empty());
    // Rare interruptions are counted for the mean task in a line, and waits a little.
    for (const auto& [of, tasks] : found) EXPECT_LE(expected[of.second.index()], 1.08 * least);
  }
  EXPECT_GT(dearer_by_the_list, 40);
}

}  // namespace
}  // namespace lips::testing
