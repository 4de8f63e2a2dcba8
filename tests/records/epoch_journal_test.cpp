#include "records/epoch_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>

#include "config/text_file.h"
#include "records/journal_files.h"
#include "records/journal_log.h"
#include "tests/records/journal_folder.h"

namespace lips {
namespace {

namespace fs = std::filesystem;
using testing::JournalFolder;

class EpochJournalTest : public JournalFolder {};

// Text that hardly becomes smaller, and another one like it.
std::string noise(std::uint32_t state, std::size_t size = 3000) {
  std::string text;
  while (text.size() < size) text += static_cast<char>('a' + (state = state * 1664525 + 1013904223) % 7919 % 26);
  return text;
}

std::vector<std::string> texts_of(const std::string& file) {
  Result<JournalLog> log = JournalLog::open(file, *read_text_file(file));
  EXPECT_TRUE(log) << log.error().message;
  std::vector<std::string> texts;
  if (!log) return texts;
  for (auto text = log->next(); text && *text; text = log->next()) texts.push_back(**text);
  return texts;
}

std::vector<std::string> texts_in(const std::string& folder) {
  std::vector<std::string> texts;
  const Result<std::vector<JournalFile>> files = list_journal(folder);
  for (const JournalFile& file : *files) {
    const std::vector<std::string> more = texts_of(file.path);
    texts.insert(texts.end(), more.begin(), more.end());
  }
  return texts;
}

std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder)) bytes += entry.file_size();
  return bytes;
}

TEST_F(EpochJournalTest, KeepsTheNewestEpochsThatFit) {
  Result<EpochJournal> journal = EpochJournal::open(folder_, Mebibytes(0.01));
  ASSERT_TRUE(journal) << journal.error().message;
  std::vector<std::string> added;
  for (unsigned i = 0; i < 40; ++i) {
    added.push_back(noise(i / 3) + std::to_string(i));  // every third one has nothing of the one before
    ASSERT_TRUE(journal->add(added.back()));
    EXPECT_EQ(journal->bytes(), bytes_in(folder_));
    ASSERT_LE(journal->bytes(), 10486u) << i;
    const std::vector<std::string> kept = texts_in(folder_);
    ASSERT_FALSE(kept.empty());
    EXPECT_EQ(kept, std::vector(added.end() - static_cast<std::ptrdiff_t>(kept.size()), added.end()));
  }
  EXPECT_EQ(journal->next_epoch(), 41u);
  EXPECT_GT(texts_in(folder_).size(), 5u);
  EXPECT_GT(list_journal(folder_)->front().first, 20u);
}

TEST_F(EpochJournalTest, WritesWhatHasChanged) {
  Result<EpochJournal> journal = EpochJournal::open(folder_, Mebibytes(1));
  std::string text = noise(1, 100'000);
  ASSERT_TRUE(journal->add(text));
  const std::uint64_t first = journal->bytes();
  for (std::size_t i = 0; i < 100; ++i) {
    text[i * 997] = '!';
    ASSERT_TRUE(journal->add(text));
  }
  EXPECT_LT(journal->bytes(), first * 11 / 10);
  EXPECT_EQ(list_journal(folder_)->size(), 1u);
  EXPECT_EQ(texts_in(folder_).size(), 101u);
}

TEST_F(EpochJournalTest, BeginsAFileNowAndThen) {
  Result<EpochJournal> journal = EpochJournal::open(folder_, Mebibytes(10));
  for (int i = 0; i < 1200; ++i) ASSERT_TRUE(journal->add("a text that hardly changes " + std::to_string(i % 10)));
  const auto files = list_journal(folder_);
  EXPECT_GE(files->size(), 3u);
  EXPECT_EQ((*files)[1].first, 1 + texts_of(files->front().path).size());
  EXPECT_EQ(texts_in(folder_).size(), 1200u);
}

// A record that is cut off at each of its bytes, as by a crash.
TEST_F(EpochJournalTest, CutsOffATornEndAndGoesOn) {
  std::vector<std::string> added{"one", "one and a half", "two"};
  std::vector<std::uint64_t> ends{0};
  {
    Result<EpochJournal> journal = EpochJournal::open(folder_, Mebibytes(1));
    for (const std::string& text : added) {
      ASSERT_TRUE(journal->add(text));
      ends.push_back(journal->bytes());
    }
  }
  const std::string path = list_journal(folder_)->front().path, whole = *read_text_file(path);
  for (std::size_t cut = 0; cut <= whole.size(); ++cut)
    for (const std::size_t zeros : {0u, 100u}) {  // which some file systems leave
      SCOPED_TRACE(std::to_string(cut) + " bytes, then " + std::to_string(zeros) + " zeros");
      fs::remove_all(folder_);
      fs::create_directory(folder_);
      std::ofstream(path, std::ios::binary) << whole.substr(0, cut) << std::string(zeros, '\0');
      std::size_t records = 0;
      while (records < added.size() && ends[records + 1] <= cut) ++records;
      Result<EpochJournal> journal = EpochJournal::open(folder_, Mebibytes(1));
      ASSERT_TRUE(journal) << journal.error().message;
      EXPECT_EQ(journal->next_epoch(), records + 1);
      EXPECT_EQ(journal->bytes(), ends[records]);
      ASSERT_TRUE(journal->add("three"));
      std::vector<std::string> expected(added.begin(), added.begin() + static_cast<std::ptrdiff_t>(records));
      expected.emplace_back("three");
      EXPECT_EQ(texts_in(folder_), expected);
    }
}

TEST_F(EpochJournalTest, LeavesAFileOfALaterVersionAlone) {
  fs::create_directories(folder_);
  std::string later = log_beginning("text");
  later[later.find("lips-journal 1") + 13] = '2';
  const std::string path = folder_ + "/" + log_file_name(5);
  std::ofstream(path, std::ios::binary) << later;
  Result<EpochJournal> journal = EpochJournal::open(folder_, Mebibytes(1));
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->next_epoch(), 6u);
  EXPECT_EQ(*read_text_file(path), later);
}

TEST_F(EpochJournalTest, FollowsTheRecordsOfEarlierVersionsAndDropsThemFirst) {
  fs::copy(LIPS_SOURCE_DIR "/tests/records/old_journal", folder_);
  Result<EpochJournal> journal = EpochJournal::open(folder_, Mebibytes(0.03));
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->next_epoch(), 4u);
  for (unsigned i = 0; i < 3; ++i) ASSERT_TRUE(journal->add(noise(i, 10'000)));
  const auto files = list_journal(folder_);
  EXPECT_EQ(files->front().first, 3u);
  EXPECT_EQ(files->front().kind, JournalFile::Kind::record);
  EXPECT_EQ(files->back().kind, JournalFile::Kind::log);
}

// The number after the greatest would be 0.
TEST_F(EpochJournalTest, DoesNotTakeAFileOfAnImpossibleNumberForOneOfItsOwn) {
  fs::create_directories(folder_);
  std::ofstream(folder_ + "/epoch-18446744073709551615.json.gz") << "x";
  std::ofstream(folder_ + "/journal-18446744073709551615.zst") << "x";
  std::ofstream(folder_ + "/journal-7.zst.unfinished") << "x";
  Result<EpochJournal> journal = EpochJournal::open(folder_, Mebibytes(1));
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->next_epoch(), 1u);
  ASSERT_TRUE(journal->add("one"));
  EXPECT_EQ(list_journal(folder_)->size(), 1u);
}

TEST_F(EpochJournalTest, BeginsAFileWhereSomebodyDeletedOrChangedTheNewest) {
  Result<EpochJournal> journal = EpochJournal::open(folder_, Mebibytes(1));
  ASSERT_TRUE(journal->add("one"));
  fs::remove(list_journal(folder_)->front().path);
  ASSERT_TRUE(journal->add("two"));
  EXPECT_EQ(texts_in(folder_), std::vector<std::string>{"two"});
  std::ofstream(list_journal(folder_)->back().path, std::ios::app) << "x";
  ASSERT_TRUE(journal->add("three"));
  EXPECT_EQ(texts_of(list_journal(folder_)->back().path), std::vector<std::string>{"three"});
}

// A disk with so much room for the folder; the rest of a text that does not fit is missing, or was taken back.
EpochJournal::Append small_disk(const std::string& folder, const std::uint64_t& room) {
  return [&folder, &room](const std::string& path, std::string_view bytes) -> std::error_code {
    if (bytes_in(folder) + bytes.size() <= room) return append_to_file(path, bytes);
    return {ENOSPC, std::generic_category()};
  };
}

TEST_F(EpochJournalTest, GivesUpTheOldestFilesWhenTheDiskIsFull) {
  std::uint64_t room = 20'000;
  Result<EpochJournal> journal = EpochJournal::open(folder_, Mebibytes(1), small_disk(folder_, room));
  std::vector<std::string> added;
  for (unsigned i = 0; i < 20; ++i) {
    added.push_back(noise(i));
    ASSERT_TRUE(journal->add(added.back())) << i;
    const std::vector<std::string> kept = texts_in(folder_);
    EXPECT_EQ(kept, std::vector(added.end() - static_cast<std::ptrdiff_t>(kept.size()), added.end()));
    EXPECT_EQ(journal->bytes(), bytes_in(folder_));
  }
  EXPECT_GT(texts_in(folder_).size(), 4u);
  room = 0;  // others took all of it
  EXPECT_FALSE(journal->add(noise(99)));
  room = 20'000;
  ASSERT_TRUE(journal->add(noise(100)));
  EXPECT_EQ(texts_in(folder_).back(), noise(100));
  EXPECT_EQ(journal->next_epoch(), 22u) << "the one that was not written has no number";
}

TEST_F(EpochJournalTest, DeletesNothingWhereTheDiskFailsInAnotherWay) {
  std::error_code answer;
  Result<EpochJournal> journal = EpochJournal::open(
      folder_, Mebibytes(1),
      [&](const std::string& path, std::string_view bytes) { return answer ? answer : append_to_file(path, bytes); });
  for (unsigned i = 0; i < 6; ++i) ASSERT_TRUE(journal->add(noise(i)));
  const std::vector<std::string> before = texts_in(folder_);
  answer = {EIO, std::generic_category()};
  EXPECT_FALSE(journal->add(noise(6)));
  EXPECT_EQ(texts_in(folder_), before);
}

TEST_F(EpochJournalTest, RefusesARecordThatIsLargerThanTheJournalAndKeepsTheOthers) {
  Result<EpochJournal> journal = EpochJournal::open(folder_, Mebibytes(0.01));
  ASSERT_TRUE(journal->add("one"));
  EXPECT_FALSE(journal->add(noise(1, 30'000)));
  EXPECT_EQ(texts_in(folder_), std::vector<std::string>{"one"});
  ASSERT_TRUE(journal->add("two"));
  EXPECT_EQ(texts_in(folder_).back(), "two");
}

TEST(AppendToFile, SaysThatTheDiskIsFull) {
  EXPECT_EQ(append_to_file("/dev/full", "text"), std::errc::no_space_on_device);
  EXPECT_TRUE(append_to_file("/no/such/folder/file", "text"));
}

}  // namespace
}  // namespace lips
