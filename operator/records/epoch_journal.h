// The last decisions of an operator in a folder of bounded size: one compressed file for each epoch, so a crash loses
// at most the epoch being written. Knows no policy and no clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace lips {

class EpochJournal {
 public:
  // Creates a missing folder, or continues after the epochs that are in it.
  static Result<EpochJournal> open(const std::string& directory, Mebibytes size);

  void set_size(Mebibytes size) { size_ = size; }
  std::uint64_t next_epoch() const { return next_; }
  // Adds a text of write_epoch with the number next_epoch(), then deletes the oldest epochs until the rest fits.
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

// The epochs in the folder of a journal, oldest first, with their paths.
struct JournalEntry {
  std::uint64_t epoch = 0;
  std::string file;
};
Result<std::vector<JournalEntry>> list_journal(const std::string& directory);

}  // namespace lips
