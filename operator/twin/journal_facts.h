// The facts of a journal beside its clusters: what was billed, who planned, and the times of which it knows nothing.
// Knows no files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/invoice_so_far.h"
#include "records/epoch_record.h"

namespace lips::twin {

// From one record to the next.
struct JournalGap {
  enum class Kind : std::uint8_t { missing_records, restart, clock_back };
  Kind kind = Kind::missing_records;
  Duration from{}, until{};   // since the first record; clock_back: what the clock said
  std::uint64_t records = 0;  // missing ones
};

class JournalFacts {
 public:
  // Records in the order in which they were made.
  void add(const EpochRecord& record);

  std::size_t records() const { return records_; }
  const std::vector<JournalGap>& gaps() const { return gaps_; }
  Duration unknown() const;  // time that lies in gaps
  // The invoice that the operator counted from the first record to the last, without what lies in a gap; none: older
  // records.
  std::optional<InvoiceSoFar> counted() const { return records_ > 1 ? counted_ : std::nullopt; }
  std::size_t policy_changes() const { return policy_changes_; }

 private:
  bool began_anew(const EpochRecord& record) const;

  std::size_t records_ = 0, policy_changes_ = 0;
  TimePoint began_{}, last_{};
  std::uint64_t epoch_ = 0;
  std::string policy_;
  std::optional<TimePoint> since_;
  std::optional<InvoiceSoFar> invoice_;  // of the last record
  std::optional<InvoiceSoFar> counted_ = InvoiceSoFar{};
  std::vector<JournalGap> gaps_;
};

}  // namespace lips::twin
