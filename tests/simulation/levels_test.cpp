#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"

namespace lips::simulation {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ScenarioOptions options(std::vector<std::pair<std::string, std::string>> set = {}) {
  ScenarioOptions options;
  options.config_folder = LIPS_SOURCE_DIR "/config";
  options.set = std::move(set);
  return options;
}

Scenario scenario_of(const std::string& text, std::vector<std::pair<std::string, std::string>> set = {}) {
  Result<Scenario> scenario = parse_scenario("levels.yaml", text, options(std::move(set)));
  EXPECT_TRUE(scenario) << (scenario ? "" : scenario.error().message);
  return scenario.value_or(Scenario{});
}

std::string error_of_levels(const std::string& text) {
  const Result<Scenario> scenario = parse_scenario("levels.yaml", text, options());
  return scenario ? "" : scenario.error().message;
}

RunResult run_policy(const Scenario& scenario, const char* name) {
  const auto policy = make_policy(name, scenario.settings);
  EXPECT_TRUE(policy);
  Result<RunResult> result = run(scenario, **policy, name);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result.value_or(RunResult{});
}

// A dear zone that has the raw data and a cheap one.
const std::string two_zones =
    "zones: [dear, cheap]\n"
    "nodes:\n"
    "  - {name: dear, zone: dear, count: 4, cores: 2, memory: 0, pricePerHour: 0.16, cpuPrice: 4.44e-5}\n"
    "  - {name: cheap, zone: cheap, count: 8, cores: 2, memory: 0, pricePerHour: 0.16, cpuPrice: 0.92e-5}\n"
    "blockSize: 64Mi\n"
    "transfer: {acrossZones: 0.0093132257}\n"
    "placement: {replicas: 1, hotZone: dear, hotShare: 1}\n";

const std::string levels = two_zones +
                           "jobs:\n"
                           "  - {name: clean, inputSize: 640Mi, cpuPerMiB: 0.01, output: cleaned, outputRatio: 1}\n"
                           "  - {name: count, input: cleaned, application: WordCount}\n"
                           "  - {name: sort, input: cleaned, application: WordCount}\n"
                           "  - {name: report, tasks: 1, cpuPerTask: 5, after: [count, sort]}\n";

// When each job's first task began and its last one ended, in seconds.
struct Span {
  double begin = 1e300, end = 0;
};
std::vector<Span> spans(const RunResult& result, std::size_t jobs) {
  std::vector<Span> spans(jobs);
  for (const BusyInterval& busy : result.busy) {
    Span& span = spans[busy.job.index()];
    span.begin = std::min(span.begin, to_seconds(busy.start));
    span.end = std::max(span.end, to_seconds(busy.end));
  }
  return spans;
}

TEST(Levels, BeginWhenTheirInputsExistUnderEveryPolicy) {
  const Scenario scenario = scenario_of(levels);
  for (const char* policy : {"lips", "lips-paper", "delay", "hadoop-default", "fifo", "lsap"}) {
    const RunResult result = run_policy(scenario, policy);
    ASSERT_EQ(result.jobs_finished, 4u) << policy;
    const std::vector<Span> of = spans(result, 4);
    EXPECT_GE(of[1].begin, of[0].end) << policy;
    EXPECT_GE(of[2].begin, of[0].end) << policy;
    EXPECT_GE(of[3].begin, std::max(of[1].end, of[2].end)) << policy;
  }
}

TEST(Levels, WaitForJobsThatArriveLater) {
  const Scenario scenario = scenario_of(two_zones +
                                        "jobs:\n  - {name: late, arrival: 100s, tasks: 1, cpuPerTask: 10}\n"
                                        "  - {name: early, tasks: 1, cpuPerTask: 10, after: [late]}\n");
  const RunResult result = run_policy(scenario, "fifo");
  EXPECT_EQ(result.jobs_finished, 2u);
  EXPECT_EQ(result.makespan, seconds(120));
}

TEST(Levels, FailWithTheJobThatTheyWaitFor) {
  const Scenario scenario =
      scenario_of(levels + "failures: [{nodes: [dear-0, dear-1, dear-2, dear-3], dataLost: true}]\n");
  const RunResult result = run_policy(scenario, "fifo");
  EXPECT_EQ(result.jobs_finished, 0u);
  EXPECT_EQ(result.jobs_failed, 4u);
}

TEST(Levels, AreHeldByEveryCopyOfAJob) {
  const Scenario scenario = scenario_of(two_zones +
                                        "jobs:\n  - {name: part, count: 3, every: 50s, tasks: 1, cpuPerTask: 10}\n"
                                        "  - {name: whole, tasks: 1, cpuPerTask: 1, after: [part]}\n");
  EXPECT_EQ(run_policy(scenario, "fifo").makespan, seconds(111));
}

// lips-paper moves data once for all its readers anyway, so that for it the two cost the same.
TEST(NewData, IsWrittenWhereItsReadersAreCheap) {
  for (const char* name : {"lips", "lips-paper"}) {
    const RunResult placed = run_policy(scenario_of(levels), name);
    const RunResult hdfs =
        run_policy(scenario_of(levels, {{"newData", "hdfs"}, {"settings.keepCopies", "false"}}), name);
    EXPECT_EQ(placed.jobs_finished, 4u);
    EXPECT_LT(placed.bill.total().value(), hdfs.bill.total().value() * (name == std::string("lips") ? 0.95 : 1.001))
        << name;
  }
}

TEST(NewData, OfHdfsIsOnTheWritersNodeAndCostsNoTransfer) {
  const RunResult result = run_policy(scenario_of(levels), "fifo");
  EXPECT_DOUBLE_EQ(result.bill.moves.value(), 0);
}

TEST(NewData, PaysForEachReplicaThatCrossesZones) {
  const Scenario scenario =
      scenario_of(two_zones +
                  "newDataReplicas: 3\nracksPerZone: 1\njobs:\n"
                  "  - {name: write, inputSize: 640Mi, cpuPerMiB: 0.01, output: out, outputRatio: 1}\n");
  // Ten blocks: one replica with the writer, two in the other rack, which is the other zone.
  const RunResult result = run_policy(scenario, "delay");
  const double all = 2 * 640 * 0.0093132257 / 1e9 * 1024 * 1024;
  EXPECT_NEAR(result.bill.moves.value(), all, 1e-9);
}

TEST(NewData, SurvivesAFailureOfItsWriterWithFurtherReplicas) {
  const std::string text = two_zones +
                           "newDataReplicas: 2\njobs:\n"
                           "  - {name: write, tasks: 8, cpuPerTask: 100, output: out, outputSize: 512Mi}\n"
                           "  - {name: read, input: out, cpuPerTask: 50}\n"
                           "failures: [{nodes: [dear-0], at: 130s, dataLost: true}]\n";
  const RunResult result = run_policy(scenario_of(text), "fifo");
  EXPECT_EQ(result.jobs_finished, 2u);
}

TEST(PartialAccess, ReadsAndPaysForItsFractionOnly) {
  const Scenario scenario = scenario_of(two_zones +
                                        "jobs:\n  - {name: part, inputSize: 384Mi, cpuPerMiB: 5, fraction: 0.25}\n"
                                        "  - {name: all, inputSize: 384Mi, cpuPerMiB: 5}\n");
  for (const char* name : {"lips", "lips-paper", "delay", "greedy-cheapest"}) {
    const RunResult result = run_policy(scenario, name);
    ASSERT_EQ(result.jobs_finished, 2u);
    Mebibytes read;
    for (const Mebibytes& level : result.locality.read) read += level;
    EXPECT_NEAR(read.value(), 1.25 * 384, 1e-6) << name;
  }
  // At 5 CPU-seconds a MiB the cheap zone wins, and only what is read pays for the way.
  const RunResult result = run_policy(scenario, "greedy-cheapest");
  EXPECT_NEAR(result.bill.cpu.value(), 1.25 * 384 * 5 * 0.92e-5, 1e-9);
  EXPECT_NEAR(result.bill.transfer.value(), 1.25 * 384 * 0.0093132257 / 1e9 * 1024 * 1024, 1e-9);
}

TEST(LevelsInAFile, AreCheckedWithWhatIsAllowed) {
  const std::string jobs = two_zones + "jobs:\n  - {name: a, tasks: 1, cpuPerTask: 1";
  EXPECT_THAT(error_of_levels(jobs + ", after: [b]}\n"), HasSubstr("names of jobs further up"));
  EXPECT_THAT(error_of_levels(jobs + ", output: x}\n"), HasSubstr("outputSize or outputRatio"));
  EXPECT_THAT(error_of_levels(jobs + ", outputSize: 1Gi}\n"), HasSubstr("the name of the data set"));
  EXPECT_THAT(error_of_levels(jobs + ", count: 2, output: x, outputSize: 1Gi}\n"), HasSubstr("one job with an output"));
  EXPECT_THAT(error_of_levels(jobs + "}\n  - {name: b, input: later, cpuPerTask: 1}\n"), HasSubstr("a data set"));
}

TEST(LevelsInAFile, NameWhoWaitsForWhom) {
  const Scenario scenario = scenario_of(levels);
  ASSERT_EQ(scenario.after.size(), 4u);
  EXPECT_TRUE(scenario.after[0].empty());
  EXPECT_THAT(scenario.after[1], ElementsAre(JobId(0)));
  EXPECT_THAT(scenario.after[3], ElementsAre(JobId(1), JobId(2)));
  EXPECT_EQ(scenario.jobs[0].job.output, DataSetId(1));
  EXPECT_EQ(scenario.cluster.data_sets[DataSetId(1)].blocks, 10u);
}

}  // namespace
}  // namespace lips::simulation
