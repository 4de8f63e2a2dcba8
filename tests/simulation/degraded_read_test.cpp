#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "model/stripe.h"
#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"
#include "simulation/stripe_placement.h"
#include "tests/simulation/tiny_scenario.h"

namespace lips::simulation {
namespace {

using ::testing::HasSubstr;

// Four nodes of one stripe (4, 2): natives on nodes 0 and 1, parity on 2 and 3, and node 4 without data.
tiny::ScenarioBuilder one_stripe() {
  tiny::ScenarioBuilder builder;
  for (int i = 0; i < 5; ++i) builder.node(0);
  const DataSetId id = builder.data(Mebibytes(100), {StoreId(0), StoreId(1)});
  builder.scenario.cluster.data_sets[id].code = {4, 2};
  for (const std::uint32_t store : {2u, 3u})
    builder.scenario.cluster.blocks.push_back({id, Mebibytes(100), {}, {Replica{StoreId(store)}}});
  builder.reading_job(1, id, 10);
  return builder;
}

RunResult run_with(const Scenario& scenario, const char* policy) {
  const Result<RunResult> result = run(scenario, **make_policy(policy, {}), policy);
  EXPECT_TRUE(result) << result.error().message;
  return *result;
}

TEST(DegradedReads, ShareLinksAndComeBeforeComputing) {
  tiny::ScenarioBuilder builder = one_stripe();
  builder.scenario.cluster.network.node_link = MebibytesPerSecond(10);
  builder.scenario.failures.push_back({NodeId(0), TimePoint{}, Duration(0), true});
  const RunResult result = run_with(builder.scenario, "locality-first");
  EXPECT_EQ(result.jobs_finished, 1u);
  EXPECT_EQ(result.degraded.tasks, 1u);
  // Two blocks, at least one of them through one interface of 10 MiB/s, and then 10 s of work.
  EXPECT_NEAR(result.degraded.read.value(), 200, 1e-6);
  EXPECT_GE(result.completion.max, 10 + 10);
  EXPECT_LE(result.completion.max, 20 + 10 + 3.1);
}

TEST(DegradedReads, TakeTheTimeOfDecodingWhenItIsGiven) {
  tiny::ScenarioBuilder builder = one_stripe();
  builder.scenario.failures.push_back({NodeId(0), TimePoint{}, Duration(0), true});
  const double without = run_with(builder.scenario, "locality-first").completion.max;
  builder.scenario.decoding = MebibytesPerSecond(20);
  EXPECT_NEAR(run_with(builder.scenario, "locality-first").completion.max, without + 200.0 / 20, 0.001);
}

TEST(DegradedReads, FailTheJobOnlyWhenTooFewBlocksOfAStripeAreLeft) {
  tiny::ScenarioBuilder builder = one_stripe();
  for (const std::uint32_t node : {0u, 2u})
    builder.scenario.failures.push_back({NodeId(node), TimePoint{}, Duration(0), true});
  EXPECT_EQ(run_with(builder.scenario, "degraded-first").jobs_finished, 1u);
  builder.scenario.failures.push_back({NodeId(3), TimePoint{}, Duration(0), true});
  EXPECT_EQ(run_with(builder.scenario, "degraded-first").jobs_failed, 1u);
}

TEST(DegradedReads, BeginAnewWhenASourceIsLostOnTheWay) {
  tiny::ScenarioBuilder builder = one_stripe();
  builder.scenario.cluster.network.node_link = MebibytesPerSecond(10);
  builder.scenario.failures.push_back({NodeId(0), TimePoint{}, Duration(0), true});
  for (const std::uint32_t node : {1u, 2u, 3u}) {
    tiny::ScenarioBuilder lost = builder;
    lost.scenario.failures.push_back({NodeId(node), tiny::at(6), Duration(0), true});
    const RunResult result = run_with(lost.scenario, "degraded-first");
    EXPECT_EQ(result.jobs_finished, 1u) << "node " << node;
    EXPECT_GE(result.degraded.tasks, 1u);
  }
}

TEST(DegradedReads, ArePaidWhereTheyCrossZones) {
  tiny::ScenarioBuilder builder(2, UsdPerMebibyte(0.5));
  for (int i = 0; i < 3; ++i) builder.node(1);
  builder.node(0);
  const DataSetId id = builder.data(Mebibytes(100), {StoreId(0)});
  builder.scenario.cluster.data_sets[id].code = {3, 1};
  for (const std::uint32_t store : {1u, 2u})
    builder.scenario.cluster.blocks.push_back({id, Mebibytes(100), {}, {Replica{StoreId(store)}}});
  builder.reading_job(1, id, 10);
  for (const std::uint32_t node : {0u})
    builder.scenario.failures.push_back({NodeId(node), TimePoint{}, Duration(0), true});
  for (NodeId node : {NodeId(1), NodeId(2)}) builder.scenario.cluster.nodes[node].capacity.slots = 0;
  const RunResult result = run_with(builder.scenario, "locality-first");
  EXPECT_EQ(result.jobs_finished, 1u);
  EXPECT_NEAR(result.bill.transfer.value(), 50, 1e-6);
  EXPECT_NEAR(result.cross_zone.map_reads.value(), 100, 1e-6);
}

constexpr const char* coded_scenario = R"(
zones: [z]
racksPerZone: 4
nodes:
  - {name: n, count: 24, cores: 4, slots: 4, pricePerHour: 1}
placement: {erasureCode: {n: 12, k: 9}}
dataSets:
  - {name: input, blocks: 100, blockSize: 128Mi}
jobs:
  - {name: j, input: input, cpuPerTask: 20}
)";

TEST(StripePlacement, SurvivesNodesAndARack) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ScenarioOptions options;
    options.set = {{"seed", std::to_string(seed)}};
    const Result<Scenario> scenario = parse_scenario("coded.yaml", coded_scenario, options);
    ASSERT_TRUE(scenario) << scenario.error().message;
    const ClusterSnapshot& cluster = scenario->cluster;
    const DataSet& set = cluster.data_sets[DataSetId(0)];
    EXPECT_EQ(set.blocks, 100u);
    ASSERT_EQ(cluster.blocks.size(), 100u + 12 * 3);
    for (std::uint32_t index = 0; index < stripe_count(set); ++index) {
      const Stripe stripe = stripe_at(set, index);
      std::set<NodeId> nodes;
      std::map<RackId, std::uint32_t> in_rack;
      for (std::uint32_t member = 0; member < stripe.size(); ++member) {
        ASSERT_EQ(cluster.blocks[stripe.block(member)].replicas.size(), 1u);
        const NodeId node = cluster.stores[cluster.blocks[stripe.block(member)].replicas[0].store].node;
        EXPECT_TRUE(nodes.insert(node).second) << "two blocks of a stripe on one node";
        EXPECT_LE(++in_rack[cluster.nodes[node].rack], stripe.parities);
      }
    }
  }
}

TEST(StripePlacement, RunsAJobOfAScenarioThoughARackIsLost) {
  std::string text = coded_scenario;
  text += "failures:\n  - {nodes: [n-00, n-04, n-08, n-12, n-16, n-20], at: 0s, dataLost: true}\n";
  const Result<Scenario> scenario = parse_scenario("coded.yaml", text, {});
  ASSERT_TRUE(scenario) << scenario.error().message;
  for (const char* policy : {"locality-first", "degraded-first-basic", "degraded-first", "hadoop-default", "lips"}) {
    const RunResult result = run_with(*scenario, policy);
    EXPECT_EQ(result.jobs_finished, 1u) << policy;
    EXPECT_GT(result.degraded.tasks, 0u) << policy;
  }
}

std::string error_of_placement(const std::string& placement) {
  std::string text = coded_scenario;
  const std::string old = "{erasureCode: {n: 12, k: 9}}";
  text.replace(text.find(old), old.size(), placement);
  const Result<Scenario> scenario = parse_scenario("coded.yaml", text, {});
  return scenario ? "" : scenario.error().message;
}

TEST(StripePlacement, SaysWithLineAndFieldWhyACodeCannotBe) {
  EXPECT_THAT(error_of_placement("{erasureCode: {n: 30, k: 20}}"), HasSubstr("coded.yaml:6: placement.erasureCode"));
  EXPECT_THAT(error_of_placement("{erasureCode: {n: 30, k: 20}}"), HasSubstr("24"));
  EXPECT_THAT(error_of_placement("{erasureCode: {n: 14, k: 12}}"), HasSubstr("surviveRack"));
  EXPECT_EQ(error_of_placement("{erasureCode: {n: 14, k: 12}, surviveRack: false}"), "");
  EXPECT_THAT(error_of_placement("{erasureCode: {n: 6, k: 6}}"), HasSubstr("placement.erasureCode.k"));
  EXPECT_THAT(error_of_placement("{erasureCode: {n: 6}}"), HasSubstr("placement.erasureCode.k"));
  EXPECT_THAT(error_of_placement("{erasureCode: {n: 6, k: 4}, replicas: 2}"), HasSubstr("placement.replicas"));
  EXPECT_THAT(error_of_placement("{erasureCode: {n: 6, k: 4, m: 2}}"), HasSubstr("m"));
  EXPECT_THAT(error_of_placement("rs-7-7"), HasSubstr("rs-6-3"));
  EXPECT_EQ(error_of_placement("rs-6-3"), "");
}

}  // namespace
}  // namespace lips::simulation
