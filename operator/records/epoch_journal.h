// The last decisions of an operator, each with all that it was made from, in a folder of bounded size: one compressed
// file an epoch, so that a crash costs at most the epoch being written. Knows no policy and no clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/plan.h"
#include "policies/settings.h"
#include "records/snapshot_file.h"

namespace lips {

// Equal for plans that are equal bit for bit (but for account.seconds), in hexadecimal digits.
std::string plan_digest(const Plan& plan);

struct EpochRecord {
  std::uint64_t epoch = 0;
  std::string version;  // of the program that decided
  std::string policy;
  PolicySettings settings;
  std::uint64_t seed = 1;
  std::vector<NodeId> reporting;
  std::string digest;  // of the plan
  std::uint64_t assignments = 0, moves = 0;
  double dollars = 0;
  SnapshotFile snapshot;
};

std::string write_epoch(const EpochRecord& record);
Result<EpochRecord> read_epoch(const std::string& file, const std::string& text);

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
