// The records of a journal, oldest first, whichever version wrote them: the one way to read a journal. Knows no policy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "records/epoch_record.h"
#include "records/journal_files.h"
#include "records/journal_log.h"

namespace lips {

// A folder, or a file of many records, rather than of one.
bool is_journal(const std::string& path);

class JournalReader {
 public:
  // `path`: the folder of a journal, or one of its files. Refuses one without records.
  static Result<JournalReader> open(const std::string& path);

  std::size_t records() const { return records_; }
  std::uint64_t first_epoch() const { return parts_.front().file.first; }
  std::uint64_t last_epoch() const { return parts_.back().file.first + parts_.back().records - 1; }

  // The next record; none behind the last one. After an error there is no next one.
  Result<std::optional<EpochRecord>> next();
  // The record of one epoch. next() goes on behind it.
  Result<EpochRecord> find(std::uint64_t epoch);

  // The next record is then the first one of a file: of the newest that began at least `window` before the newest one
  // did, else of the oldest.
  Result<void> begin_within(Duration window);

  // Says where the newest file ends in the middle of a record, as after a crash; else empty.
  const std::string& cut_off() const { return cut_off_; }

 private:
  struct Part {
    JournalFile file;
    std::size_t records = 1;
    std::string fault;  // behind the last record; empty: none
  };
  Result<void> add(JournalFile file, bool newest);
  Result<std::string> next_text();

  std::vector<Part> parts_;
  std::size_t records_ = 0;
  std::string cut_off_;
  std::size_t part_ = 0, within_ = 0;  // the record that comes next
  std::optional<JournalLog> log_;      // of that part
};

}  // namespace lips
