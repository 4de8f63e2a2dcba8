// The last decisions of an operator in a folder of bounded size: one compressed file an epoch, so that a crash costs at
// most the epoch being written. Knows no policy and no clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace lips {

class EpochJournal {
 public:
  // Makes the folder where there is none; goes on behind the epochs that are in it.
  static Result<EpochJournal> open(const std::string& directory, Mebibytes size);

  void set_size(Mebibytes size) { size_ = size; }
  std::uint64_t next_epoch() const { return next_; }
  // A text of write_epoch with the number next_epoch(); then the oldest epochs go until the rest fits.
  Result<void> add(const std::string& text);
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::uint64_t epoch, bytes;
  };
  void drop_oldest();

  std::string directory_;
  Mebibytes size_;
  std::vector<Entry> entries_;  // oldest first
  std::uint64_t bytes_ = 0, next_ = 1;
};

// The epochs of a journal's folder, oldest first, and where each is.
struct JournalEntry {
  std::uint64_t epoch = 0;
  std::string file;
};
Result<std::vector<JournalEntry>> list_journal(const std::string& directory);

}  // namespace lips
