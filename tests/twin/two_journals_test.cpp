// Journals of operators that were started anew, or that took over from one another: nothing is known of the hours
// between them, and nothing is made up.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "base/random.h"
#include "records/journal_reader.h"
#include "tests/twin/recorded.h"
#include "twin/recorded_scenario.h"

namespace lips::twin {
namespace {

using ::testing::HasSubstr;
using testing::shipped;

using JobKey = std::pair<std::string, TimePoint>;
constexpr double dollars_per_second = 0.001;

class TwoJournals : public testing::TwinFolder {
 protected:
  // The records of a day without a gap.
  static std::vector<EpochRecord> whole_day(unsigned seed) {
    std::vector<EpochRecord> records;
    const auto keep = [&](EpochRecord record) -> Result<void> {
      records.push_back(std::move(record));
      return {};
    };
    EXPECT_TRUE(testing::record_run(shipped("quickstart", {{"seed", std::to_string(seed)}, {"durationNoise", "0.3"}}),
                                    seed % 2 == 0 ? "lips" : "spread", keep));
    return records;
  }
  static TimePoint time_of(const EpochRecord& record) { return record.snapshot.cluster.now; }
  // The records [from, until) as a program writes them that began with the first of them: it has seen no end before,
  // and counts from nothing.
  static std::vector<EpochRecord> life(const std::vector<EpochRecord>& all, std::size_t from, std::size_t until) {
    std::vector<EpochRecord> records(all.begin() + static_cast<std::ptrdiff_t>(from),
                                     all.begin() + static_cast<std::ptrdiff_t>(until));
    records.front().ended->tasks.clear();
    for (EpochRecord& record : records) {
      record.ended->since = time_of(records.front());
      record.invoice = InvoiceSoFar{
          Usd(dollars_per_second * to_seconds(time_of(record) - time_of(records.front()))), {}, {}, {}, {}};
    }
    return records;
  }
  static void write(EpochJournal& journal, std::vector<EpochRecord> records) {
    for (EpochRecord& record : records) {
      record.epoch = journal.next_epoch();
      const Result<void> written = journal.add(write_epoch(record));
      ASSERT_TRUE(written) << written.error().message;
    }
  }
  std::unique_ptr<EpochJournal> open(const std::string& name) {
    return std::make_unique<EpochJournal>(*EpochJournal::open(file(name), Mebibytes(1000)));
  }
  RecordedDay day(const std::string& name) {
    Result<RecordedDay> read = recorded_day(file(name));
    EXPECT_TRUE(read) << read.error().message;
    return *std::move(read);
  }
  static std::string value_of(const RecordedDay& day, const std::string& name) {
    for (const simulation::Assumption& fact : day.not_known)
      if (fact.name == name) return fact.value;
    return "";
  }
  static std::set<JobKey> jobs_in(const std::vector<EpochRecord>& records, TimePoint began) {
    std::set<JobKey> keys;
    for (const EpochRecord& record : records)
      for (const Job& job : record.snapshot.cluster.jobs)
        keys.emplace(job.name, std::max(TimePoint{}, TimePoint(job.arrival - began)));
    return keys;
  }
};

// Parts of a day with holes between them, from one to four lives of a program.
TEST_F(TwoJournals, OfOneOperatorThatWasStartedAnewSayWhichHoursAreNotKnown) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::filesystem::remove_all(folder_);
    Random random(seed);
    const std::vector<EpochRecord> all = whole_day(seed);
    ASSERT_GT(all.size(), 20u);
    std::vector<EpochRecord> seen;
    Duration holes{}, known{};
    std::size_t lives = 0;
    for (std::size_t from = 0; from + 2 < all.size() && lives < 4; ++lives) {
      const std::size_t until = std::min(all.size(), from + 2 + random.below(all.size() / 3));
      const std::vector<EpochRecord> part = life(all, from, until);
      if (!seen.empty()) holes += time_of(part.front()) - time_of(seen.back());
      known += time_of(part.back()) - time_of(part.front());
      write(*open("j"), part);
      seen.insert(seen.end(), part.begin(), part.end());
      from = until + random.below(6);
    }
    const RecordedDay is = day("j");
    EXPECT_EQ(is.records, seen.size());
    EXPECT_EQ(is.span, time_of(seen.back()) - time_of(seen.front()));
    EXPECT_EQ(is.unknown, holes);
    ASSERT_TRUE(is.counted);
    EXPECT_NEAR(is.counted->total().value(), dollars_per_second * to_seconds(known), 1e-9);
    EXPECT_EQ(std::ranges::count(is.not_known, std::string("gap"), &simulation::Assumption::name),
              static_cast<std::ptrdiff_t>(lives) - 1);
    const std::set<JobKey> jobs = jobs_in(seen, time_of(seen.front()));
    for (const JobArrived& job : is.scenario.jobs)
      EXPECT_TRUE(jobs.contains({job.job.name, job.job.arrival})) << job.job.name << " is in no record";
  }
}

// A job of which a program saw neither the beginning nor the end is in no record, and in no simulation.
TEST_F(TwoJournals, LeaveOutWhatCameAndWentBetweenThem) {
  const std::string beginning =
      "name: day\nzones: [a]\nnodes: [{name: n, count: 2, cores: 4, pricePerHour: 0.2}]\njobs:\n";
  const std::string seen =
      "  - {name: early, tasks: 8, cpuPerTask: 100}\n  - {name: cut, tasks: 2, cpuPerTask: 400, arrival: 250s}\n"
      "  - {name: late, tasks: 4, cpuPerTask: 60, arrival: 900s}\n";
  const std::string hidden = "  - {name: hidden, tasks: 3, cpuPerTask: 20, arrival: 400s}\n";
  const auto records_of = [](const std::string& text) {
    std::vector<EpochRecord> all;
    EXPECT_TRUE(testing::record_run(testing::scenario_of(text), "spread", [&](EpochRecord record) -> Result<void> {
      all.push_back(std::move(record));
      return {};
    }));
    return all;
  };
  const auto first_after = [](const std::vector<EpochRecord>& all, double time) {
    const auto after = [&](const EpochRecord& one) { return time_of(one) >= TimePoint(seconds(time)); };
    return static_cast<std::size_t>(std::ranges::find_if(all, after) - all.begin());
  };
  // There is room for all at once, and a program that begins at 800 s lists no job that is over.
  const std::vector<EpochRecord> all = records_of(beginning + seen + hidden), later = records_of(beginning + seen);
  write(*open("j"), life(all, 0, first_after(all, 350)));
  write(*open("j"), life(later, first_after(later, 800), later.size()));
  const RecordedDay is = day("j");
  std::set<std::string> names;
  for (const JobArrived& job : is.scenario.jobs) names.insert(job.job.name);
  EXPECT_EQ(names, (std::set<std::string>{"early", "cut", "late"}));
  EXPECT_THAT(value_of(is, "work of tasks whose end nobody saw"), HasSubstr("2 tasks")) << "those of `cut`";
  EXPECT_GT(is.unknown, seconds(300));
  const simulation::RunResult twin = testing::run(is.scenario, "spread");
  EXPECT_EQ(twin.jobs_finished, twin.jobs);
}

// Two replicas whose journals lie in one folder lead in turn. Both opened it before either had written.
TEST_F(TwoJournals, OfReplicasThatShareAFolderAreOneJournalWithItsGaps) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::filesystem::remove_all(folder_);
    Random random(seed);
    const std::vector<EpochRecord> all = whole_day(seed);
    const std::unique_ptr<EpochJournal> replicas[2] = {open("j"), open("j")};
    std::vector<TimePoint> times;
    Duration holes{};
    std::size_t stints = 0;
    for (std::size_t from = 0; from + 2 < all.size(); ++stints) {
      const std::size_t until = std::min(all.size(), from + 2 + random.below(all.size() / 4));
      const std::vector<EpochRecord> part = life(all, from, until);
      if (!times.empty()) holes += time_of(part.front()) - times.back();
      write(*replicas[stints % 2], part);
      for (const EpochRecord& record : part) times.push_back(time_of(record));
      from = until + random.below(4);
    }
    ASSERT_GT(stints, 2u);
    Result<JournalReader> reader = JournalReader::open(file("j"));
    ASSERT_TRUE(reader) << reader.error().message;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const Result<std::optional<EpochRecord>> record = reader->next();
      ASSERT_TRUE(record && *record) << "record " << i << " of " << times.size();
      EXPECT_EQ(time_of(**record), times[i]);
      EXPECT_EQ((*record)->epoch, i + 1);
    }
    const RecordedDay is = day("j");
    EXPECT_EQ(is.records, times.size());
    EXPECT_EQ(is.unknown, holes);
  }
}

// A replica whose volume is its own has a journal that begins when it leads.
TEST_F(TwoJournals, OfAReplicaOfItsOwnSayNothingOfTheTimeBefore) {
  const std::vector<EpochRecord> all = whole_day(3);
  const std::size_t half = all.size() / 2;
  write(*open("a"), life(all, 0, half));
  write(*open("b"), life(all, half, all.size()));
  const RecordedDay first = day("a"), second = day("b");
  EXPECT_EQ(first.unknown, Duration(0));
  EXPECT_EQ(second.unknown, Duration(0));
  EXPECT_EQ(second.span, time_of(all.back()) - time_of(all[half]));
  for (const JobArrived& job : second.scenario.jobs) {
    bool left = false;
    for (const Job& had : all[half].snapshot.cluster.jobs) left |= had.name == job.job.name && !had.finished();
    EXPECT_TRUE(left || job.job.arrival > TimePoint{}) << job.job.name << " was over when this journal began";
  }
}

}  // namespace
}  // namespace lips::twin
