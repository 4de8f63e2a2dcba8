#include "twin/live_twin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/twin/recorded.h"
#include "twin/recorded_scenario.h"

namespace lips::twin {
namespace {

using ::testing::HasSubstr;
using testing::run_and_record;

class LiveTwinTest : public testing::TwinFolder {
 protected:
  std::string record(const std::string& name, const std::string& policy, unsigned seed) {
    run_and_record(testing::shipped("quickstart", {{"seed", std::to_string(seed)}, {"durationNoise", "0.3"}}), policy,
                   file(name));
    return file(name);
  }
  TwinQuestion question(const std::string& journal) { return {journal, std::chrono::hours(24), {"spread", "lips"}}; }
};

// Figures beside those that a person would get by simulating the recorded day.
TEST_F(LiveTwinTest, SaysWhatEachPolicyWouldHavePaidForTheSameWork) {
  for (unsigned seed = 60; seed < 64; ++seed) {
    const std::string journal = record("j" + std::to_string(seed), "lips", seed);
    const RecordedDay day = *recorded_day(journal);
    const Result<TwinReport> report = twin_report(question(journal));
    ASSERT_TRUE(report) << report.error().message;
    const simulation::RunResult lips = testing::run(day.scenario, "lips"),
                                spread = testing::run(day.scenario, "spread");
    EXPECT_EQ(report->ran,
              (TwinRegime{"lips", lips.invoice.total() - lips.invoice.storage, seconds(lips.mean_wait), true}))
        << seed;
    ASSERT_EQ(report->others.size(), 1u) << "the policy that ran is not among the others";
    EXPECT_EQ(report->others[0],
              (TwinRegime{"spread", spread.invoice.total() - spread.invoice.storage, seconds(spread.mean_wait), true}));
    EXPECT_EQ(report->span, day.span);
    EXPECT_EQ(report->jobs, day.scenario.jobs.size());
    EXPECT_EQ(report->not_known.size(), day.not_known.size());
    EXPECT_FALSE(report->error()) << "these records have no invoice";
  }
}

TEST_F(LiveTwinTest, SaysWhereAPolicyStandsInForKubeScheduler) {
  const std::string journal = record("j", "lips", 60);
  const TwinReport by_policy = *twin_report(question(journal));
  TwinQuestion asked = question(journal);
  std::vector<std::string> ran;
  asked.alone = [&](const simulation::Scenario&, const std::string& policy,
                    const simulation::RunOptions&) -> std::optional<Result<simulation::RunResult>> {
    ran.push_back(policy);
    if (policy != "spread") return std::nullopt;
    return fail(ErrorCode::invalid_input, "its data is coded");
  };
  const Result<TwinReport> stood_in = twin_report(asked);
  ASSERT_TRUE(stood_in) << stood_in.error().message;
  EXPECT_EQ(stood_in->others, by_policy.others);
  EXPECT_THAT(stood_in->not_known, ::testing::Contains(HasSubstr("its data is coded")));
  EXPECT_THAT(ran, ::testing::ElementsAre("spread")) << "LiPS bound what ran";

  asked.alone = [](const simulation::Scenario&, const std::string& policy,
                   const simulation::RunOptions&) -> std::optional<Result<simulation::RunResult>> {
    if (policy != "spread") return std::nullopt;
    simulation::RunResult run;
    run.invoice.nodes = Usd(77);
    return run;
  };
  const Result<TwinReport> alone = twin_report(asked);
  ASSERT_TRUE(alone) << alone.error().message;
  ASSERT_EQ(alone->others.size(), 1u);
  EXPECT_EQ(alone->others[0].invoice, Usd(77));
  EXPECT_EQ(alone->not_known, by_policy.not_known);

  asked.alone = [](const simulation::Scenario&, const std::string&,
                   const simulation::RunOptions&) -> std::optional<Result<simulation::RunResult>> {
    return fail(ErrorCode::cancelled, "interrupted");
  };
  EXPECT_EQ(twin_report(asked).error().code, ErrorCode::cancelled);
}

TEST_F(LiveTwinTest, TakesAShorterTimeWhereThereIsTooMuchWork) {
  const std::string journal = record("j", "spread", 60);
  run_and_record(testing::shipped("quickstart", {{"seed", "61"}}), "spread", journal);  // a later start, hours later
  const std::size_t all = recorded_day(journal)->records;
  std::size_t last = all + 1;
  for (const std::size_t most : {100'000u, 900u, 600u, 300u}) {
    TwinQuestion asked = question(journal);
    asked.most_tasks = most;
    const Result<TwinReport> report = twin_report(asked);
    if (!report) {
      EXPECT_THAT(report.error().message, HasSubstr("one file of the journal has more than"));
      continue;
    }
    EXPECT_LE(report->records, last);
    last = report->records;
  }
  TwinQuestion asked = question(journal);
  asked.most_tasks = 1;
  EXPECT_EQ(twin_report(asked).error().message, "one file of the journal has more than 1 tasks");
}

TEST_F(LiveTwinTest, ReadsAJournalThatIsBeingWritten) {
  const std::string journal = record("j", "spread", 60);
  std::string newest;
  for (const auto& entry : std::filesystem::directory_iterator(journal))
    newest = std::max(newest, entry.path().string());
  const std::uintmax_t size = std::filesystem::file_size(newest);
  for (const std::uintmax_t cut : {size / 100 + 1, size / 10, size / 2}) {
    std::filesystem::resize_file(newest, size - cut);
    const Result<TwinReport> report = twin_report(question(journal));
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->not_known, ::testing::Contains(HasSubstr("end: torn")));
  }
}

TEST_F(LiveTwinTest, SaysWhyThereIsNothingToCompare) {
  std::filesystem::create_directories(file("empty"));
  EXPECT_THAT(twin_report(question(file("empty"))).error().message, HasSubstr("no journal records found"));
  TwinQuestion stopped = question(record("j", "spread", 60));
  stopped.stop = [] { return true; };
  EXPECT_EQ(twin_report(stopped).error().code, ErrorCode::cancelled);
}

TEST(TwinReport, CallsASavingOneWhereItIsMoreThanItsError) {
  TwinReport report;
  report.ran = {"lips", Usd(8), {}, true}, report.counted = Usd(10);
  const TwinRegime other{"spread", Usd(10), {}, true};
  EXPECT_DOUBLE_EQ(*report.saved(other), 0.2);
  EXPECT_FALSE(report.can_tell(other)) << "its own error is not known";
  report.until_last = Usd(9);
  EXPECT_NEAR(*report.error(), -0.1, 1e-12);
  EXPECT_TRUE(report.can_tell(other));
  report.until_last = Usd(13);
  EXPECT_FALSE(report.can_tell(other));
  EXPECT_FALSE(report.saved({"spread", Usd(10), {}, false})) << "it does not finish";
}

}  // namespace
}  // namespace lips::twin
