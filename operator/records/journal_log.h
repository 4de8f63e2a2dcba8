// One file of a journal: a header, the text of a record as it is (the checkpoint), then each further text as its
// difference from the one before. Its file can be read without any other. docs/journal.md describes the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lips {

// The header and the checkpoint with which a file begins.
std::string log_beginning(std::string_view checkpoint);
bool is_journal_log(std::string_view bytes);

class JournalLog {
 public:
  enum class End : std::uint8_t { whole, cut, damaged };

  // Finds the records and unpacks none. Refuses bytes that do not begin with the header of a known version.
  static Result<JournalLog> open(std::string name, std::string bytes);

  std::size_t records() const { return frames_.size(); }
  // The end of the file behind its last whole record: its kind, and its byte.
  End end() const { return end_; }
  std::size_t good_bytes() const { return good_; }

  // The text of the next record; none behind the last one. After an error there is no next one.
  Result<std::optional<std::string>> next();
  Result<void> skip(std::size_t records);
  // Unpacks all records. Those from the first damaged one on do not count any more.
  void check();

 private:
  struct Frame {
    std::size_t at = 0, bytes = 0;
  };
  Result<void> unpack();

  std::string name_, bytes_;
  std::vector<Frame> frames_;
  End end_ = End::whole;
  std::size_t good_ = 0;
  std::size_t next_ = 0;
  std::string text_;  // of the record before next_
};

}  // namespace lips
