#include "cmd/twin/cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "cmd/cli/command.h"
#include "config/quantities.h"
#include "kubernetes/api/time_text.h"
#include "records/digest.h"
#include "records/journal_cut.h"
#include "records/journal_reader.h"
#include "records/pseudonyms.h"
#include "twin/plan_again.h"

namespace lips::cmd {

namespace {

// Below 0: the record lies before the point; above 0: behind it.
int side_of(const EpochRecord& record, const CutPoint& point, TimePoint began) {
  const TimePoint now = record.snapshot.cluster.now;
  const auto sign = [](const auto& a, const auto& b) { return a < b ? -1 : a > b; };
  if (const auto* epoch = std::get_if<std::uint64_t>(&point)) return sign(record.epoch, *epoch);
  if (const auto* since = std::get_if<Duration>(&point)) return sign(now - began, *since);
  return sign(now, std::get<TimePoint>(point));
}

// Calls take(record) for each record of the cut, until one fails.
Result<std::string> each_record(const Cut& cut, const std::function<Result<void>(EpochRecord)>& take) {
  Result<JournalReader> journal = JournalReader::open(cut.journal);
  if (!journal) return tl::unexpected(journal.error());
  std::optional<TimePoint> began;
  for (std::size_t read = 0;; ++read) {
    if (interrupt_requested()) return fail(ErrorCode::cancelled, "interrupted while reading the journal");
    if (cut.at) cut.at(read, journal->records());
    Result<std::optional<EpochRecord>> record = journal->next();
    if (!record) return tl::unexpected(record.error());
    if (!*record) break;
    if (!began) began = (*record)->snapshot.cluster.now;
    if (cut.from && side_of(**record, *cut.from, *began) < 0) continue;
    if (cut.to && side_of(**record, *cut.to, *began) > 0) continue;
    if (Result<void> taken = take(**std::move(record)); !taken) return tl::unexpected(taken.error());
  }
  return journal->cut_off();
}

// The digest is that of the plan with other names, which is the same plan.
Result<void> replace_names(Pseudonyms& names, EpochRecord& record, std::size_t& without_digest) {
  Result<Plan> plan = twin::plan_again(record, record.policy);
  if (!plan) return tl::unexpected(plan.error());
  const bool same = plan_digest(*plan) == record.digest;
  names.replace(record);
  names.replace(plan->account);
  without_digest += !same;
  record.digest = same ? plan_digest(*plan) : "";
  return {};
}

}  // namespace

Result<CutPoint> parse_cut_point(const std::string& option, const std::string& text) {
  std::uint64_t epoch = 0;
  const char* const end = text.data() + text.size();
  if (const auto read = std::from_chars(text.data(), end, epoch); read.ec == std::errc() && read.ptr == end)
    return epoch;
  if (const std::optional<Duration> since = parse_duration(text)) return *since;
  if (const Result<TimePoint> time = kubernetes::parse_time(text)) return *time;
  return fail(ErrorCode::invalid_input,
              fmt::format("{}: expected the number of an epoch, a time since the first record such as 90s or 1h30m, or "
                          "a time such as 2026-01-31T12:00:00Z, found '{}'",
                          option, text));
}

Result<CutDone> cut_journal(const Cut& cut) {
  Pseudonyms names;
  if (cut.names_replaced)
    if (const Result<std::string> seen = each_record(cut,
                                                     [&](const EpochRecord& record) -> Result<void> {
                                                       names.see(record);
                                                       return {};
                                                     });
        !seen)
      return tl::unexpected(seen.error());
  std::optional<JournalCut> written;
  CutDone result;
  const Result<std::string> cut_off = each_record(cut, [&](EpochRecord record) -> Result<void> {
    if (record.live)
      return fail(ErrorCode::invalid_input,
                  cut.journal + ": expected a journal, found the state of a running operator, which has no plan");
    if (!written) {
      Result<JournalCut> opened = JournalCut::open(cut.output);
      if (!opened) return tl::unexpected(opened.error());
      written = *std::move(opened);
    }
    if (cut.names_replaced)
      if (Result<void> done = replace_names(names, record, result.without_digest); !done) return done;
    if (result.records++ == 0) result.first = record.epoch;
    result.last = record.epoch;
    return written->add(record.epoch, write_epoch(record));
  });
  if (!cut_off) return tl::unexpected(cut_off.error());
  if (!written)
    return fail(ErrorCode::invalid_input, cut.journal + ": found no record from --from to --to; allowed: at least one");
  if (Result<void> finished = written->finish(); !finished) return tl::unexpected(finished.error());
  result.cut_off = *cut_off;
  return result;
}

}  // namespace lips::cmd
