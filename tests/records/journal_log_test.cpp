#include "records/journal_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "records/text_delta.h"

namespace lips {
namespace {

using ::testing::HasSubstr;
using End = JournalLog::End;

const std::vector<std::string> texts = {"one text", "one text, and a little more", "another", "", "one text"};

// Returns the bytes of a log of the texts; `ends`: where the header and each record end.
std::string log_of(const std::vector<std::string>& all, std::vector<std::size_t>& ends) {
  std::string bytes = log_beginning(all.front());
  ends = {bytes.size() - text_delta("", all.front()).size(), bytes.size()};
  for (std::size_t i = 1; i < all.size(); ++i) {
    bytes += text_delta(all[i - 1], all[i]);
    ends.push_back(bytes.size());
  }
  return bytes;
}

std::vector<std::string> read_all(JournalLog log) {
  std::vector<std::string> read;
  for (;;) {
    Result<std::optional<std::string>> text = log.next();
    if (!text || !*text) return read;
    read.push_back(**std::move(text));
  }
}

TEST(JournalLog, GivesBackWhatIsWholeWhereverItIsCutOff) {
  std::vector<std::size_t> ends;
  const std::string bytes = log_of(texts, ends);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    SCOPED_TRACE(cut);
    const Result<JournalLog> log = JournalLog::open("j", bytes.substr(0, cut));
    ASSERT_TRUE(log) << log.error().message;
    std::size_t whole = 0;
    while (whole + 1 < ends.size() && ends[whole + 1] <= cut) ++whole;
    EXPECT_EQ(log->records(), whole);
    EXPECT_EQ(log->end() == End::whole, cut >= ends[0] && cut == ends[whole]);
    EXPECT_NE(log->end(), End::damaged);
    EXPECT_EQ(log->good_bytes(), cut < ends[0] ? 0 : ends[whole]);
    EXPECT_EQ(read_all(*log), std::vector(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(whole)));
  }
}

TEST(JournalLog, NeverGivesBackAnotherTextWhicheverByteIsDamaged) {
  std::vector<std::size_t> ends;
  const std::string bytes = log_of(texts, ends);
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int flip : {1, 128, 255}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      const Result<JournalLog> log = JournalLog::open("j", damaged);
      if (!log) continue;
      const std::vector<std::string> read = read_all(*log);
      ASSERT_LE(read.size(), texts.size()) << at;
      for (std::size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i], texts[i]) << at;
    }
}

TEST(JournalLog, ReadsFromAnyRecordOn) {
  std::vector<std::size_t> ends;
  const std::string bytes = log_of(texts, ends);
  for (std::size_t from = 0; from <= texts.size(); ++from) {
    Result<JournalLog> log = JournalLog::open("j", bytes);
    ASSERT_TRUE(log->skip(from));
    EXPECT_EQ(read_all(*log), std::vector(texts.begin() + static_cast<std::ptrdiff_t>(from), texts.end()));
  }
}

TEST(JournalLog, SaysWhereItIsDamaged) {
  std::vector<std::size_t> ends;
  std::string bytes = log_of(texts, ends);
  bytes[ends[2] - 1] ^= 1;  // in the checksum of the second record
  Result<JournalLog> log = JournalLog::open("j", bytes);
  ASSERT_TRUE(log && log->next());
  const Result<std::optional<std::string>> damaged = log->next();
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().message, HasSubstr("j: record 2, byte " + std::to_string(ends[1])));
  EXPECT_FALSE(*log->next()) << "nothing behind it can be read";
}

TEST(JournalLog, RefusesAnotherVersionAndOtherFiles) {
  std::string bytes = log_beginning("text");
  bytes[bytes.find("lips-journal 1") + 13] = '2';
  EXPECT_THAT(JournalLog::open("j", bytes).error().message, HasSubstr("found a journal of version 2; allowed: 1"));
  for (const char* other : {"{}", "\x1f\x8b", "lips-journal 1", "something that is longer than a header"})
    EXPECT_THAT(JournalLog::open("j", other).error().message, HasSubstr("allowed: a file of a journal"));
}

}  // namespace
}  // namespace lips
