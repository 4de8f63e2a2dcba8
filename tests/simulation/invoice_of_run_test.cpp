// The bill of a whole run: what the simulator tells the invoice, and what the planner makes of the kinds of stores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bounds/waiting_bound.h"
#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"
#include "simulation/whole_run.h"
#include "tests/simulation/tiny_scenario.h"

namespace lips::simulation {
namespace {

using testing::HasSubstr;
using tiny::FirstFit;
using tiny::ScenarioBuilder;

RunResult run_with(const Scenario& scenario, const Policy& policy) {
  Result<RunResult> result = run(scenario, policy, "policy");
  EXPECT_TRUE(result.has_value());
  return result.value_or(RunResult{});
}

TEST(InvoiceOfRun, BillsFixedNodesForTheWholeRunAndBytesOnce) {
  ScenarioBuilder builder(2, UsdPerMebibyte(0.001));
  builder.node(0, 1, 0.01);
  builder.node(1, 1, 0.02);
  const StoreId volume = builder.volume(1, UsdPerMebibyteHour(0.36));
  builder.reading_job(0, builder.data(Mebibytes(100), {volume}), 200);
  const RunResult result = run_with(builder.scenario, FirstFit());
  EXPECT_EQ(result.makespan, seconds(200));
  EXPECT_NEAR(result.invoice.nodes.value(), 200 * 0.03, 1e-9);
  EXPECT_NEAR(result.invoice.transfer.value(), 100 * 0.001, 1e-9);
  EXPECT_NEAR(result.invoice.storage.value(), 100 * 0.36 * 200 / 3600, 1e-9);
  EXPECT_NEAR(result.predicted->value(), result.invoice.total().value(), 1e-9);
}

TEST(InvoiceOfRun, TransferIsWhatTheBillByUseHasInItsThreeTerms) {
  ScenarioBuilder builder(3, UsdPerMebibyte(0.001));
  for (std::uint32_t zone = 0; zone < 3; ++zone) builder.node(zone, 1);
  JobArrived& job = builder.reading_job(0, builder.data(Mebibytes(100), {StoreId(0), StoreId(0), StoreId(1)}), 50);
  ScenarioBuilder::add_reduces(job, 2, 20, Mebibytes(300));
  const RunResult result = run_with(builder.scenario, FirstFit());
  EXPECT_GT(result.bill.transfer.value(), 0);
  EXPECT_GT(result.bill.shuffle.value(), 0);
  EXPECT_NEAR(result.invoice.transfer.value(), (result.bill.transfer + result.bill.shuffle + result.bill.moves).value(),
              1e-9);
}

TEST(InvoiceOfRun, ANodeThatComesBackIsAnotherLaunch) {
  ScenarioBuilder builder;
  builder.node(0, 1, 0.01);
  builder.computing_job(0, 1, 1000);
  builder.scenario.failures = {{NodeId(0), tiny::at(10), seconds(90), false}};
  const RunResult result = run_with(builder.scenario, FirstFit());
  EXPECT_EQ(result.makespan, seconds(1100));
  ASSERT_EQ(result.invoice.node_lines.size(), 1u);
  EXPECT_EQ(result.invoice.node_lines[0].launches, 2u);
  EXPECT_NEAR(result.invoice.nodes.value(), (60 + 1000) * 0.01, 1e-9);  // 10 s count as a minute
}

// Nodes come and go, some are interrupted, and few may go at once: each decision of lips still knew what it would add
// to the bill. (Under other policies consolidation moves tasks away.)
TEST(InvoiceOfRun, OfElasticNodesIsForeseen) {
  const Result<std::string> file = find_scenario("modern-day-elastic");
  ASSERT_TRUE(file) << file.error().message;
  for (const char* jobs : {"20", "200"})
    for (const char* interruptions : {"0", "0.02", "3"})
      for (const char* budget : {"0.02", "0.1", "1"}) {
        SCOPED_TRACE(std::string(jobs) + " jobs, " + interruptions + " an hour, budget " + budget);
        ScenarioOptions options;
        options.set = {{"trace.jobs", jobs}, {"load", "0.05"}, {"autoscaler.budget", budget}};
        for (const char* group : {"m7g", "m6i", "c7g", "c6i", "r6i", "m5a"})
          options.set.emplace_back(std::string("nodes.") + group + ".interruptionsPerHour", interruptions);
        const Result<Scenario> scenario = read_scenario(*file, options);
        ASSERT_TRUE(scenario) << scenario.error().message;
        const RunResult result = run_with(*scenario, **make_policy("lips", scenario->settings));
        const double billed = result.invoice.total().value();
        EXPECT_NEAR(result.predicted->value(), billed, 0.03 * billed);
      }
}

// Nobody gets work done below the bound.
TEST(InvoiceOfRun, OnElasticNodesIsAboveTheCertifiedBound) {
  ScenarioOptions options;
  options.set = {{"trace.jobs", "200"}};
  const Result<std::string> file = find_scenario("modern-day-elastic");
  ASSERT_TRUE(file) << file.error().message;
  const Result<Scenario> scenario = read_scenario(*file, options);
  ASSERT_TRUE(scenario) << scenario.error().message;
  const WholeRun whole = whole_run(*scenario);
  const double prices[] = {0, 0.1, 0.3, 1, 3};
  const Result<std::vector<WaitingCut>> cuts = waiting_cuts(whole, prices);
  ASSERT_TRUE(cuts) << cuts.error().message;
  for (const char* name : {"lips", "delay", "own-zone-cheapest"}) {
    const Result<std::unique_ptr<Policy>> policy = make_policy(name, scenario->settings);
    ASSERT_TRUE(policy);
    const RunResult result = run_with(*scenario, **policy);
    const double billed = result.invoice.total().value();
    const Duration mean_wait = seconds(result.mean_wait);
    EXPECT_LE(least_dollars_with_mean_wait(whole, *cuts, mean_wait).value(), billed) << name;
    EXPECT_GT(least_dollars_with_mean_wait(whole, *cuts, mean_wait).value(), 0.1 * billed) << name;
  }
}

// Also in the hours in which no task waits, and so no plan asks for a node.
TEST(InvoiceOfRun, TasksOfPlansThatAskForNodesAreNeverEvicted) {
  ScenarioOptions options;
  options.set = {{"trace.jobs", "200"}};
  for (const char* group : {"m7g", "m6i", "c7g", "c6i", "r6i", "m5a"})
    options.set.emplace_back(std::string("nodes.") + group + ".interruptionsPerHour", "0");
  const Result<std::string> file = find_scenario("modern-day-elastic");
  ASSERT_TRUE(file) << file.error().message;
  const Result<Scenario> scenario = read_scenario(*file, options);
  ASSERT_TRUE(scenario) << scenario.error().message;
  const Result<std::unique_ptr<Policy>> policy = make_policy("lips", scenario->settings);
  ASSERT_TRUE(policy);
  const RunResult result = run_with(*scenario, **policy);
  EXPECT_EQ(result.attempts_lost, 0u);
  EXPECT_EQ(result.fleet.underutilized, 0u);
  EXPECT_GT(result.fleet.empty, 100u);
}

// Zone b is the cheapest; the data are all in one bucket, which several jobs read.
std::string lake(const std::string& bucket, const std::string& transfer = "") {
  return R"(zones: [a, b, c]
nodes:
- {name: a, count: 2, zone: a, cores: 4, pricePerHour: 0.4}
- {name: b, count: 2, zone: b, cores: 4, pricePerHour: 0.2}
- {name: c, count: 2, zone: c, cores: 4, pricePerHour: 0.4}
stores: {buckets: [)" +
         bucket + "]}\n" + transfer + R"(
blockSize: 1Gi
dataSets: [{name: d, blocks: 24, placement: {store: lake}}]
jobs: [{name: j, count: 4, every: 30m, input: d, cpuPerTask: 60}]
)";
}

RunResult run_lake(const std::string& policy, const std::string& bucket, const std::string& transfer = "") {
  const Result<Scenario> scenario = parse_scenario("lake.yaml", lake(bucket, transfer));
  EXPECT_TRUE(scenario) << (scenario ? "" : scenario.error().message);
  PolicySettings settings = scenario->settings;
  settings.lips.billing = Billing::use;  // work on these fixed nodes has a price
  const auto made = make_policy(policy, settings);
  EXPECT_TRUE(made);
  return run_with(*scenario, **made);
}

double hours_used_in(const RunResult& result, const std::string& zone) {
  double used = 0;
  for (std::size_t i = 0; i < result.utilisation.channels.size(); ++i)
    if (result.utilisation.channels[i].starts_with(zone))
      for (const double value : result.utilisation.value[i]) used += value;
  return used;
}

TEST(RegionalBucket, IsReadWhereWorkIsCheapestAndNeverCopied) {
  for (const char* policy : {"lips", "lips-paper"}) {
    SCOPED_TRACE(policy);
    const RunResult result = run_lake(policy, "{name: lake}");
    EXPECT_EQ(result.jobs_finished, 4u);
    EXPECT_EQ(result.plans.moves, 0u);
    EXPECT_EQ(result.bill.storage.value(), 0);  // no extra copies
    EXPECT_EQ(result.invoice.transfer.value(), 0);
    EXPECT_EQ(result.cross_zone.map_reads.value(), 0);
    EXPECT_EQ(hours_used_in(result, "a"), 0);
    EXPECT_EQ(hours_used_in(result, "c"), 0);
    ASSERT_EQ(result.invoice.store_lines.size(), 1u);
    EXPECT_EQ(result.invoice.store_lines[0].requests.reads, 4u * 24 * 128);
  }
}

// The same bucket in a zone: bytes are dearer than work, so the work comes to them.
TEST(ZonalBucket, DrawsWorkIntoItsZone) {
  const RunResult result = run_lake("lips", "{name: lake, zone: a}");
  EXPECT_EQ(result.jobs_finished, 4u);
  EXPECT_EQ(hours_used_in(result, "b"), 0);
  EXPECT_GT(hours_used_in(result, "a"), 0);
}

TEST(RegionalBucket, ThroughANatGatewayIsWorthACopy) {
  const std::string nat = "transfer: {gatewayEndpoint: false}";
  const RunResult result = run_lake("lips", "{name: lake}", nat);
  EXPECT_GT(result.bill.storage.value(), 0);
  EXPECT_NEAR(result.invoice.transfer.value(), 24 * 1024 / mebibytes_per_gigabyte * 0.045, 1e-9);  // once, then copies
}

TEST(RegionalBucket, OfAnotherRegionAndTheInternetAreDear) {
  EXPECT_GT(run_lake("lips", "{name: lake, region: us-west-2}").invoice.transfer.value(), 0);
  const RunResult free_way_in = run_lake("lips", "{name: lake, kind: internet}");
  EXPECT_EQ(free_way_in.invoice.transfer.value(), 0);
  EXPECT_GT(run_lake("lips", "{name: lake, kind: internet}", "transfer: {internetIn: 0.09}").invoice.transfer.value(),
            0);
}

TEST(RegionalBucket, LiesInNoZone) {
  const Result<Scenario> scenario = parse_scenario("lake.yaml", lake("{name: lake, zone: a, kind: regional}"));
  ASSERT_FALSE(scenario);
  EXPECT_THAT(scenario.error().message, HasSubstr("lake.yaml:6: stores.buckets[0].zone: found a zone; allowed: none"));
}

TEST(Commitments, AreReadAndCoverNodes) {
  const std::string committed =
      lake("{name: lake}", "commitments: {reserved: [{instanceType: custom, zone: b, count: 2}]}");
  const Result<Scenario> scenario = parse_scenario("lake.yaml", committed);
  ASSERT_TRUE(scenario) << scenario.error().message;
  const RunResult result = run_with(*scenario, FirstFit());
  EXPECT_GT(result.invoice.covered.value(), 0);
  for (const NodeLine& line : result.invoice.node_lines) {
    EXPECT_NEAR(line.covered_hours, line.zone == ZoneId(1) ? line.hours : 0, 1e-6);
  }
}

}  // namespace
}  // namespace lips::simulation
