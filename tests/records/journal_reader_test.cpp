#include "records/journal_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "config/text_file.h"
#include "policies/registry/registry.h"
#include "records/epoch_journal.h"
#include "simulation/random_snapshot.h"
#include "tests/model/difference.h"
#include "tests/records/journal_folder.h"
#include "tests/records/record_of.h"
#include "tests/records/rough_day.h"

namespace lips {
namespace {

namespace fs = std::filesystem;
using testing::difference;
using ::testing::HasSubstr;
using testing::JournalFolder;

const std::string old_journal = LIPS_SOURCE_DIR "/tests/records/old_journal";

EpochRecord random_record(unsigned seed) {
  std::mt19937 random(seed);
  const simulation::SnapshotShape shape = simulation::random_small_shape(seed);
  EpochRecord record;
  record.policy = seed % 2 == 0 ? "lips" : "fifo", record.seed = random(), record.dollars = 0.1 * seed;
  record.digest = std::to_string(seed), record.assignments = random() % 100;
  record.snapshot = {simulation::random_cluster(shape).snapshot(), simulation::random_costs(shape)};
  return record;
}

// Its text has hardly more than the names of fields.
EpochRecord small_record(unsigned number) {
  EpochRecord record;
  record.policy = "fifo", record.digest = std::to_string(number), record.dollars = 0.1 * number;
  record.snapshot.cluster.now = TimePoint(Duration(number));
  return record;
}

class JournalReaderTest : public JournalFolder {
 protected:
  // Adds it with the next number, and remembers it.
  void add(EpochJournal& journal, EpochRecord record) {
    record.epoch = journal.next_epoch();
    ASSERT_TRUE(journal.add(write_epoch(record)));
    added_.push_back(std::move(record));
  }
  EpochJournal open(double mebibytes = 100) { return *EpochJournal::open(folder_, Mebibytes(mebibytes)); }
  void expect_same(const EpochRecord& was, const EpochRecord& is) {
    EXPECT_EQ(is.epoch, was.epoch);
    EXPECT_EQ(is.digest, was.digest);
    EXPECT_EQ(difference(was.snapshot.cluster, is.snapshot.cluster), "") << "epoch " << was.epoch;
    EXPECT_EQ(write_epoch(is), write_epoch(was)) << "epoch " << was.epoch;
  }
  // Reads all, which are the last ones that were added.
  void expect_the_newest() {
    Result<JournalReader> journal = JournalReader::open(folder_);
    ASSERT_TRUE(journal) << journal.error().message;
    ASSERT_LE(journal->records(), added_.size());
    EXPECT_EQ(journal->last_epoch(), added_.back().epoch);
    auto next = added_.end() - static_cast<std::ptrdiff_t>(journal->records());
    EXPECT_EQ(journal->first_epoch(), next->epoch);
    for (; next != added_.end(); ++next) {
      const Result<std::optional<EpochRecord>> read = journal->next();
      ASSERT_TRUE(read && *read) << (read ? "too few" : read.error().message);
      expect_same(*next, **read);
    }
    EXPECT_FALSE(*journal->next());
  }
  std::vector<EpochRecord> added_;
};

TEST_F(JournalReaderTest, GivesBackRandomSnapshotsBitForBit) {
  EpochJournal journal = open();
  for (unsigned seed = 1; seed <= 40; ++seed) add(journal, random_record(seed));
  expect_the_newest();
}

TEST_F(JournalReaderTest, GivesBackADayBitForBitAndItsPlansAgain) {
  for (const std::string policy : {"lips", "modified-fair"})
    for (const simulation::Scenario& day : {testing::scenario(), testing::scenario(testing::coded_day())}) {
      EpochJournal journal = open();
      const std::size_t most = added_.size() + 40;
      testing::run(day, policy, [&](const PolicyInput& input, const Plan& plan) {
        if (added_.size() < most) add(journal, testing::record_of(policy, day, input, plan));
      });
    }
  ASSERT_GT(added_.size(), 40u);
  expect_the_newest();
  Result<JournalReader> reader = JournalReader::open(folder_);
  for (std::size_t i = 0; const auto record = *reader->next(); ++i) {
    if (i % 10 != 0) continue;
    const Result<Plan> again =
        (*make_policy(record->policy, record->settings))
            ->decide({record->snapshot.cluster, record->snapshot.costs, record->seed, record->reporting, nullptr});
    ASSERT_TRUE(again);
    EXPECT_EQ(plan_digest(*again), record->digest) << "epoch " << record->epoch;
  }
}

TEST_F(JournalReaderTest, FindsEveryEpochFromAnywhere) {
  EpochJournal journal = open();
  for (unsigned seed = 1; seed <= 12; ++seed) add(journal, random_record(seed / 4));
  Result<JournalReader> reader = JournalReader::open(folder_);
  for (const std::uint64_t epoch : {7u, 12u, 1u, 2u, 11u}) {
    const Result<EpochRecord> found = reader->find(epoch);
    ASSERT_TRUE(found) << found.error().message;
    expect_same(added_[epoch - 1], *found);
  }
  EXPECT_EQ((*reader->next())->epoch, 12u) << "it goes on behind the one that was found";
  for (const std::uint64_t none : {0u, 13u})
    EXPECT_THAT(reader->find(none).error().message, HasSubstr("one of the journal, 1 to 12"));
}

TEST_F(JournalReaderTest, BeginsWithTheFileThatHasTheBeginningOfAWindow) {
  std::mt19937 random(11);
  double now = 0;
  for (int start = 0; start < 8; ++start) {
    EpochJournal journal = open();
    for (unsigned records = 1 + random() % 4; records > 0; --records, now += random() % 50)
      add(journal, small_record(static_cast<unsigned>(now * 1e6)));
  }
  const std::vector<JournalFile> files = *list_journal(folder_);
  ASSERT_GE(files.size(), 8u);
  const auto began = [&](const JournalFile& file) { return added_[file.first - 1].snapshot.cluster.now; };
  for (int window = 0; window < 1200; window += 7) {
    std::uint64_t expected = files.front().first;
    for (const JournalFile& file : files)
      if (began(files.back()) - began(file) >= seconds(window)) expected = file.first;
    JournalReader reader = *JournalReader::open(folder_);
    ASSERT_TRUE(reader.begin_within(seconds(window)));
    for (std::uint64_t next = expected; next <= added_.size(); ++next)
      ASSERT_EQ((*reader.next())->epoch, next) << "window of " << window << " s";
    EXPECT_FALSE(*reader.next());
  }
}

TEST_F(JournalReaderTest, ReadsWhatIsLeftWhenTheOldestFilesAreGone) {
  EpochJournal journal = open(0.05);
  for (unsigned seed = 1; seed <= 60; ++seed) {
    add(journal, random_record(seed));
    if (seed % 7 == 0) expect_the_newest();
  }
  expect_the_newest();
  EXPECT_GT(JournalReader::open(folder_)->first_epoch(), 1u);
}

// A journal of few records that is cut off at each of its bytes.
TEST_F(JournalReaderTest, StopsBeforeATornEndAndSaysWhere) {
  {
    EpochJournal journal = open();
    for (unsigned i = 0; i < 3; ++i) add(journal, small_record(i));
  }
  const std::string path = list_journal(folder_)->front().path, whole = *read_text_file(path);
  std::size_t torn = 0;
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    SCOPED_TRACE(cut);
    std::ofstream(path, std::ios::binary) << whole.substr(0, cut);
    Result<JournalReader> journal = JournalReader::open(folder_);
    if (!journal) {
      EXPECT_THAT(journal.error().message, HasSubstr("no journal records found"));
      continue;
    }
    const Result<EpochRecord> last = journal->find(journal->records());
    ASSERT_TRUE(last) << last.error().message;
    ASSERT_EQ(last->digest, added_[journal->records() - 1].digest);
    const Result<std::optional<EpochRecord>> end = journal->next();
    ASSERT_TRUE(end) << "a torn end is no error";
    EXPECT_FALSE(*end);
    if (journal->cut_off().empty()) continue;
    ++torn;
    EXPECT_THAT(journal->cut_off(), HasSubstr("epoch " + std::to_string(journal->records() + 1)));
    EXPECT_THAT(journal->cut_off(), HasSubstr("the record is not whole"));
  }
  EXPECT_GT(torn, 100u);
}

TEST_F(JournalReaderTest, EndsWithAnErrorWhereAFileIsDamaged) {
  {
    EpochJournal journal = open();
    for (unsigned i = 0; i < 3; ++i) add(journal, random_record(1));
  }
  const std::string path = list_journal(folder_)->front().path, whole = *read_text_file(path);
  const auto last_word = [&] {
    Result<JournalReader> journal = JournalReader::open(folder_);
    for (;;) {
      const Result<std::optional<EpochRecord>> read = journal->next();
      if (!read) return read.error().message;
      if (!*read) return std::string();
    }
  };
  EXPECT_EQ(last_word(), "");
  std::ofstream(path, std::ios::binary) << whole << std::string(50, '\0');
  EXPECT_THAT(last_word(), HasSubstr("epoch 4, byte " + std::to_string(whole.size()) + ": found damaged bytes"));
  std::string changed = whole;
  changed[changed.size() - 1] ^= 1;
  std::ofstream(path, std::ios::binary) << changed;
  EXPECT_THAT(last_word(), HasSubstr("record 3, byte"));
  // A file that is not the newest ends in the middle of a record.
  std::ofstream(path, std::ios::binary) << whole.substr(0, whole.size() - 1);
  fs::copy_file(path, folder_ + "/" + log_file_name(4));
  EXPECT_THAT(last_word(), HasSubstr("epoch 3, byte"));
}

TEST_F(JournalReaderTest, RefusesARecordInAnotherPlace) {
  EpochJournal journal = open();
  EpochRecord record = random_record(1);
  record.epoch = 7;
  ASSERT_TRUE(journal.add(write_epoch(record)));
  EXPECT_THAT(JournalReader::open(folder_)->next().error().message, HasSubstr("found epoch 7; allowed: 1"));
}

TEST_F(JournalReaderTest, ReadsOneFileOfAnyName) {
  EpochJournal journal = open();
  for (unsigned i = 1; i <= 3; ++i) add(journal, random_record(i));
  const std::string copy = folder_ + "/copy";
  fs::copy_file(list_journal(folder_)->front().path, copy);
  EXPECT_TRUE(is_journal(copy));
  Result<JournalReader> alone = JournalReader::open(copy);
  ASSERT_TRUE(alone) << alone.error().message;
  EXPECT_EQ(alone->records(), 3u);
  expect_same(added_[2], *alone->find(3));
  const std::string record = folder_ + "/record.json";
  std::ofstream(record) << write_epoch(added_[1]);
  EXPECT_FALSE(is_journal(record));
  expect_same(added_[1], *JournalReader::open(record)->find(2));
}

// tests/records/old_journal was written by version 0.1.0 before there were logs: a whole record in each file.
TEST_F(JournalReaderTest, ReadsTheRecordsOfEarlierVersions) {
  fs::copy(old_journal, folder_);
  std::vector<std::string> were;
  const Result<std::vector<JournalFile>> files = list_journal(folder_);
  for (const JournalFile& file : *files) were.push_back(*read_text_file(file.path));
  ASSERT_EQ(were.size(), 3u);
  EpochJournal journal = open();
  add(journal, random_record(1));
  Result<JournalReader> reader = JournalReader::open(folder_);
  EXPECT_EQ(reader->records(), 4u);
  for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) {
    const Result<std::optional<EpochRecord>> read = reader->next();
    ASSERT_TRUE(read && *read);
    EXPECT_EQ((*read)->epoch, epoch);
    EXPECT_EQ((*read)->policy, "fifo");
    const std::string again = write_epoch(**read), &text = were[epoch - 1];
    EXPECT_EQ(again.substr(again.find('\n')), text.substr(text.find('\n'))) << "the snapshot, bit for bit";
  }
  expect_same(added_.front(), **reader->next());
}

TEST_F(JournalReaderTest, RefusesAFolderWithoutRecords) {
  fs::create_directory(folder_);
  EXPECT_THAT(JournalReader::open(folder_).error().message, HasSubstr("no journal records found"));
  EXPECT_EQ(JournalReader::open(folder_ + "/none").error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace lips
