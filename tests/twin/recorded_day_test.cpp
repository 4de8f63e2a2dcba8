#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "model/offered_nodes.h"
#include "records/journal_cut.h"
#include "records/journal_reader.h"
#include "simulation/true_work.h"
#include "tests/twin/recorded.h"
#include "twin/recorded_scenario.h"
#include "twin/scenario_file.h"

namespace lips::twin {
namespace {

using ::testing::HasSubstr;
using testing::run;
using testing::run_and_record;

const std::string failing_day =
    "name: day\nzones: [a, b]\ndurationNoise: 0.4\nnodes:\n"
    "  - {name: fixed, count: 3, zone: a, cores: 4, pricePerHour: 0.2}\n"
    "  - {name: more, fleet: elastic, limit: 4, cores: 8, pricePerHour: 0.4}\n"
    "jobs:\n  - {name: early, tasks: 30, cpuPerTask: 120}\n"
    "  - {name: read, inputSize: 2Gi, cpuPerMiB: 0.5, shuffleRatio: 0.2, reduces: 2, cpuPerReduce: 30, arrival: 2m}\n"
    "  - {name: late, tasks: 12, cpuPerTask: 200, arrival: 15m, priority: 5}\n"
    "failures: [{nodes: [fixed-1], at: 3m, down: 4m}]\n";

const std::string services =
    "services:\n  - {name: web, pods: 2, cores: 1, lifetime: 25m, tolerations: [k]}\n"
    "  - {name: web, pods: 3, cores: 1, arrival: 5m, lifetime: 2m}\n"
    "  - {name: cache, cores: 3.5, arrival: 4m, lifetime: 8m}\n";

class RecordedDayTest : public testing::TwinFolder {
 protected:
  RecordedDay recorded(const std::string& folder) {
    Result<RecordedDay> read = recorded_day(folder);
    EXPECT_TRUE(read) << read.error().message;
    return *std::move(read);
  }
  // Copies the records that keep(epoch) wants, changed by change().
  std::string copy(const std::string& from, const std::function<bool(EpochRecord&)>& keep) {
    Result<JournalReader> journal = JournalReader::open(from);
    Result<JournalCut> written = JournalCut::open(file("copy"));
    while (true) {
      Result<std::optional<EpochRecord>> record = journal->next();
      if (!record || !*record) break;
      if (!keep(**record)) continue;
      EXPECT_TRUE(written->add((*record)->epoch, write_epoch(**record)));
    }
    EXPECT_TRUE(written->finish());
    return file("copy");
  }
  static std::string note_of(const RecordedDay& day, const std::string& name) {
    for (const simulation::Assumption& fact : day.not_known)
      if (fact.name == name) return fact.value;
    return "";
  }
};

TEST_F(RecordedDayTest, HasTheWorkThatEachTaskTurnedOutToBe) {
  const simulation::Scenario was = testing::scenario_of(failing_day);
  run_and_record(was, "spread", file("j"));
  const RecordedDay is = recorded(file("j"));
  ASSERT_EQ(is.scenario.jobs.size(), was.jobs.size());
  std::uint32_t id = 0;
  for (const JobArrived& job : was.jobs)
    for (std::size_t i = 0; i < job.tasks.size(); ++i, ++id)
      EXPECT_NEAR(is.scenario.work_factors.at(id), simulation::true_work_factor(was, TaskId(id)), 1e-3)
          << job.job.name << " " << i;
  EXPECT_EQ(is.scenario.jobs[2].job.priority, 5);
  ASSERT_EQ(is.scenario.failures.size(), 1u);
  EXPECT_EQ(to_seconds(is.scenario.failures[0].down), 240);
}

TEST_F(RecordedDayTest, IsTheSameInAFile) {
  run_and_record(testing::scenario_of(failing_day + services), "lips", file("j"));
  const RecordedDay is = recorded(file("j"));
  EXPECT_GE(is.scenario.services.size(), 3u);
  const Result<simulation::Scenario> read = parse_recorded_scenario("f", write_recorded_scenario(is.scenario));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(write_recorded_scenario(*read), write_recorded_scenario(is.scenario));
  for (const char* policy : {"lips", "spread"}) {
    const simulation::RunResult a = run(is.scenario, policy), b = run(*read, policy);
    EXPECT_EQ(a.invoice.total(), b.invoice.total()) << policy;
    EXPECT_EQ(a.completion.mean, b.completion.mean) << policy;
    EXPECT_EQ(a.fleet.launches, b.fleet.launches) << policy;
  }
}

TEST_F(RecordedDayTest, HasEachServiceForAsLongAsItWasThere) {
  const simulation::Scenario was = testing::scenario_of(failing_day + services);
  run_and_record(was, "spread", file("j"));
  const RecordedDay is = recorded(file("j"));
  EXPECT_EQ(note_of(is, "services"), "");
  std::map<std::string, double> seconds_was, seconds_is;
  for (const simulation::Service& one : was.services)
    seconds_was[one.name] += one.pods * to_seconds(one.until - one.from);
  for (const simulation::Service& one : is.scenario.services)
    seconds_is[one.name] += one.pods * to_seconds(one.until - one.from);
  for (const auto& [name, seconds] : seconds_was) EXPECT_NEAR(seconds_is[name], seconds, 1e-3) << name;
  for (const Node& node : is.scenario.cluster.nodes) EXPECT_EQ(node.others.cpu, Cores(0)) << node.name;
  EXPECT_EQ(is.scenario.cluster.nodes[NodeId(0)].capacity, was.cluster.nodes[NodeId(0)].capacity)
      << "services move, and leave no room behind";
}

// No offer has the room that DaemonSets take on every node: a record without them is of the same day.
TEST_F(RecordedDayTest, HasTheSameNodesWhateverDaemonSetsTake) {
  run_and_record(testing::scenario_of(failing_day + services + "autoscaler: {limitCores: 32}\n"), "lips", file("j"));
  const RecordedDay without = recorded(file("j"));
  ASSERT_FALSE(without.scenario.fleet.limits.empty());
  const RecordedDay with = recorded(copy(file("j"), [](EpochRecord& record) {
    const Resources daemons{Cores(0.25), Mebibytes(300), 3};
    ClusterSnapshot& cluster = record.snapshot.cluster;
    const IdVector<NodeId, bool> offered = offered_only(cluster);
    for (const NodeId node : cluster.nodes.ids())
      if (!offered[node]) cluster.nodes[node].capacity += daemons, cluster.nodes[node].others += daemons;
    return true;
  }));
  EXPECT_EQ(with.scenario.fleet.limits, without.scenario.fleet.limits);
  ASSERT_EQ(with.scenario.fleet.offers.size(), without.scenario.fleet.offers.size());
  EXPECT_EQ(with.scenario.fleet.offers[0].limit, without.scenario.fleet.offers[0].limit);
  for (const NodeId node : with.scenario.cluster.nodes.ids())
    EXPECT_EQ(with.scenario.cluster.nodes[node].capacity.cpu, without.scenario.cluster.nodes[node].capacity.cpu);
  for (const char* policy : {"lips", "spread"})
    EXPECT_EQ(run(with.scenario, policy).invoice.total(), run(without.scenario, policy).invoice.total()) << policy;
}

// An operator plans on when all is done, and counts nodes that are idle.
TEST_F(RecordedDayTest, HasTheInvoiceOfTheTimeAfterTheLastJobToo) {
  const simulation::Scenario was = testing::scenario_of(failing_day);
  const simulation::RunResult ran = run_and_record(was, "spread", file("j"));
  std::uint64_t last = 0;
  TimePoint end{};
  copy(file("j"), [&](const EpochRecord& record) {
    last = record.epoch, end = record.snapshot.cluster.now;
    return true;
  });
  std::filesystem::remove_all(file("copy"));
  const Duration idle = std::chrono::hours(2);
  const RecordedDay quiet = recorded(copy(file("j"), [&](EpochRecord& record) {
    if (record.epoch == last) record.snapshot.cluster.now += idle;
    return true;
  }));
  EXPECT_EQ(quiet.span, end - TimePoint{} + idle);
  const Usd until_then = run(quiet.scenario, "spread", TimePoint(quiet.span)).invoice.nodes;
  const Usd fixed = 3 * UsdPerHour(0.2) * idle;
  EXPECT_GE((until_then - ran.invoice.nodes - fixed).value(), -1e-3);
  EXPECT_LE((until_then - ran.invoice.nodes - fixed).value(), 4 * 0.4 * to_hours(std::chrono::minutes(2)))
      << "elastic nodes go soon after they are empty";
}

// Marks of pods of other schedulers are facts of the work; marks of LiPS are its own decisions.
TEST_F(RecordedDayTest, EvictsNoTaskWhosePodSaysSoUnderAnyPolicy) {
  run_and_record(testing::scenario_of("name: day\nzones: [a]\nnodes:\n"
                                      "  - {name: m, fleet: elastic, limit: 6, cores: 4, pricePerHour: 0.36}\njobs:\n"
                                      "  - {name: short, tasks: 9, cpuPerTask: 60}\n"
                                      "  - {name: long, tasks: 3, cpuPerTask: 900}\n"),
                 "spread", file("j"));
  for (const bool watched : {false, true}) {
    std::filesystem::remove_all(file("copy"));
    const RecordedDay is = recorded(copy(file("j"), [&](EpochRecord& record) {
      record.watched = watched;
      for (RunningTask& run : record.snapshot.cluster.running) run.marked_until = TimePoint(std::chrono::hours(99));
      return true;
    }));
    const std::uint64_t evicted = run(is.scenario, "spread").fleet.underutilized;
    if (watched) {
      EXPECT_EQ(is.scenario.not_evicted, (std::vector<bool>{true, true}));
      EXPECT_EQ(evicted, 0u);
      const Result<simulation::Scenario> read = parse_recorded_scenario("f", write_recorded_scenario(is.scenario));
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(read->not_evicted, is.scenario.not_evicted);
    } else {
      EXPECT_TRUE(is.scenario.not_evicted.empty());
      EXPECT_GT(evicted, 0u);
    }
  }
}

TEST_F(RecordedDayTest, SaysThatOlderRecordsHaveNoServices) {
  run_and_record(testing::scenario_of(failing_day + services), "spread", file("j"));
  const RecordedDay old = recorded(copy(file("j"), [](EpochRecord& record) {
    record.services.reset();
    return true;
  }));
  EXPECT_TRUE(old.scenario.services.empty());
  EXPECT_EQ(note_of(old, "services"), "records without them");
}

TEST_F(RecordedDayTest, SaysWhichRecordsAreMissing) {
  run_and_record(testing::scenario_of(failing_day), "spread", file("j"));
  const RecordedDay whole = recorded(file("j"));
  EXPECT_EQ(note_of(whole, "gap"), "");
  EXPECT_EQ(note_of(whole, "work of tasks that had not ended"), "");
  const RecordedDay cut =
      recorded(copy(file("j"), [](const EpochRecord& record) { return record.epoch < 6 || record.epoch > 9; }));
  EXPECT_THAT(note_of(cut, "gap"), HasSubstr("4 records"));
}

TEST_F(RecordedDayTest, SaysWhenTheOperatorWasStartedAnewAndCountsNothingInBetween) {
  run_and_record(testing::scenario_of(failing_day), "spread", file("j"));
  const RecordedDay cut = recorded(copy(file("j"), [](EpochRecord& record) {
    const bool later = record.epoch > 8;
    if (later) record.ended->since = record.snapshot.cluster.now - seconds(1), record.ended->tasks.clear();
    record.invoice = InvoiceSoFar{Usd(later ? 0.5 * static_cast<double>(record.epoch - 8) : 0.1), {}, {}, {}, {}};
    if (later && record.epoch > 9) record.ended->since = TimePoint(seconds(1));
    if (record.epoch == 9) record.ended->since = TimePoint(seconds(1));
    return record.epoch <= 10;
  }));
  EXPECT_THAT(note_of(cut, "gap"), HasSubstr("after the first record"));
  ASSERT_TRUE(cut.counted);
  EXPECT_NEAR(cut.counted->total().value(), 1.0, 1e-9) << "nothing, then what the second one counted";
  EXPECT_NE(note_of(cut, "work of tasks whose end nobody saw"), "");
}

TEST_F(RecordedDayTest, TakesThePredictedWorkWhereRecordsDoNotSayMore) {
  run_and_record(testing::scenario_of(failing_day), "spread", file("j"));
  const RecordedDay old = recorded(copy(file("j"), [](EpochRecord& record) {
    record.ended.reset();
    return true;
  }));
  EXPECT_TRUE(old.scenario.work_factors.empty());
  EXPECT_EQ(note_of(old, "work"), "as predicted");
}

TEST_F(RecordedDayTest, SaysWhichTasksHadNotEnded) {
  run_and_record(testing::scenario_of(failing_day), "spread", file("j"));
  const RecordedDay cut = recorded(copy(file("j"), [](const EpochRecord& record) { return record.epoch < 4; }));
  EXPECT_THAT(note_of(cut, "work of tasks that had not ended"), HasSubstr("tasks"));
}

}  // namespace
}  // namespace lips::twin
