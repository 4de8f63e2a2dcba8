#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  run_and_record(testing::scenario_of(failing_day), "lips", file("j"));
  const RecordedDay is = recorded(file("j"));
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
