#include "twin/journal_facts.h"

#include <algorithm>
#include <array>

namespace lips::twin {

namespace {

constexpr std::array terms{&InvoiceSoFar::nodes, &InvoiceSoFar::transfer, &InvoiceSoFar::shuffle, &InvoiceSoFar::moves,
                           &InvoiceSoFar::storage};

}  // namespace

// A program that was started anew counts from nothing.
bool JournalFacts::began_anew(const EpochRecord& record) const {
  if (record.ended && since_) return record.ended->since != *since_;
  return record.invoice && invoice_ && record.invoice->total() < invoice_->total();
}

void JournalFacts::add(const EpochRecord& record) {
  const TimePoint now = record.snapshot.cluster.now;
  if (records_++ == 0) {
    began_ = now;
    if (!record.invoice) counted_.reset();
  } else {
    const auto gap = [&](JournalGap::Kind kind, TimePoint until, std::uint64_t records) {
      gaps_.push_back({kind, last_ - began_, until - began_, records});
    };
    const bool anew = began_anew(record);
    if (record.epoch != epoch_ + 1) gap(JournalGap::Kind::missing_records, now, record.epoch - epoch_ - 1);
    if (anew) gap(JournalGap::Kind::restart, record.ended ? record.ended->since : now, 0);
    if (now < last_) gap(JournalGap::Kind::clock_back, now, 0);
    policy_changes_ += record.policy != policy_;
    if (!record.invoice || (!anew && !invoice_)) counted_.reset();
    if (counted_ && !anew)
      for (const auto term : terms) *counted_.*term += *record.invoice.*term - *invoice_.*term;
    if (counted_ && anew)
      for (const auto term : terms) *counted_.*term += *record.invoice.*term;
  }
  last_ = now, epoch_ = record.epoch, policy_ = record.policy;
  since_ = record.ended ? std::optional(record.ended->since) : std::nullopt;
  invoice_ = record.invoice;
}

// Missing records and a restart between the same two records are one gap.
Duration JournalFacts::unknown() const {
  Duration sum{};
  TimePoint known{};  // since the first record
  for (const JournalGap& gap : gaps_) {
    const TimePoint from = std::max(known, TimePoint(gap.from)), until(gap.until);
    if (gap.kind == JournalGap::Kind::clock_back || until <= from) continue;
    sum += until - from;
    known = until;
  }
  return sum;
}

}  // namespace lips::twin
