// Writes records as a journal of their own: a part of another, to keep or to give away. Knows no policy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lips {

class JournalCut {
 public:
  // `output`: a file that ends in .zst, for records without a gap in their numbers, or else a new or empty folder.
  static Result<JournalCut> open(std::string output);

  // A text of write_epoch with that number, which is higher than that of the one before.
  Result<void> add(std::uint64_t epoch, std::string text);
  Result<void> finish();
  std::size_t records() const { return records_; }

 private:
  Result<void> write();

  std::string output_;
  bool folder_ = false;
  std::string bytes_, last_;  // of the file that grows; the text of the last record
  std::uint64_t first_ = 0, next_ = 0;
  std::size_t records_ = 0;
};

}  // namespace lips
