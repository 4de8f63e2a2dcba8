#include "records/journal_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "config/text_file.h"

namespace lips {

namespace {

Result<JournalLog> read_log(const std::string& path) {
  Result<std::string> bytes = read_text_file(path);
  if (!bytes) return tl::unexpected(bytes.error());
  return JournalLog::open(path, *std::move(bytes));
}

// The file alone, whatever its name: its first record says which epoch it is.
Result<std::vector<JournalFile>> single_file(const std::string& path) {
  JournalFile file{0, JournalFile::Kind::record, path};
  Result<std::string> text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  if (is_journal_log(*text)) {
    file.kind = JournalFile::Kind::log;
    Result<JournalLog> log = JournalLog::open(path, *std::move(text));
    if (!log) return tl::unexpected(log.error());
    Result<std::optional<std::string>> first = log->next();
    if (!first) return tl::unexpected(first.error());
    if (!*first) return std::vector<JournalFile>{};
    text = **std::move(first);
  }
  const Result<EpochRecord> record = read_epoch(path, *text);
  if (!record) return tl::unexpected(record.error());
  file.first = record->epoch;
  return std::vector{file};
}

}  // namespace

bool is_journal(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return true;
  const Result<std::string> bytes = read_text_file(path);
  return bytes && is_journal_log(*bytes);
}

Result<JournalReader> JournalReader::open(const std::string& path) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(path, ignored);
  const Result<std::vector<JournalFile>> files = folder ? list_journal(path) : single_file(path);
  if (!files) return tl::unexpected(files.error());
  JournalReader reader;
  for (const JournalFile& file : *files)
    if (Result<void> added = reader.add(file, &file == &files->back()); !added) return tl::unexpected(added.error());
  if (reader.records_ > 0) return reader;
  return fail(ErrorCode::not_found,
              fmt::format("{}: no journal records found (expected files {}){}{}", path, log_file_name(1),
                          reader.cut_off_.empty() ? "" : "; ", reader.cut_off_));
}

Result<void> JournalReader::add(JournalFile file, bool newest) {
  Part part{std::move(file), 1, {}};
  if (part.file.kind == JournalFile::Kind::log) {
    const Result<JournalLog> log = read_log(part.file.path);
    if (!log) return tl::unexpected(log.error());
    part.records = log->records();
    const std::string where =
        fmt::format("{}: epoch {}, byte {}", part.file.path, part.file.first + part.records, log->good_bytes());
    if (log->end() == JournalLog::End::cut && newest)
      cut_off_ = where + ": the record is not whole, as after a crash or while it is written; reading stops there";
    else if (log->end() != JournalLog::End::whole)
      part.fault = where + ": found damaged bytes; allowed: a whole record (docs/journal.md); reading stops there";
  }
  records_ += part.records;
  if (part.records > 0 || !part.fault.empty()) parts_.push_back(std::move(part));
  return {};
}

Result<std::optional<EpochRecord>> JournalReader::next() {
  while (part_ < parts_.size() && within_ == parts_[part_].records) {
    if (const std::string& fault = parts_[part_].fault; !fault.empty()) {
      part_ = parts_.size();
      return fail(ErrorCode::invalid_input, fault);
    }
    ++part_, within_ = 0;
    log_.reset();
  }
  if (part_ == parts_.size()) return std::nullopt;
  const Result<std::string> text = next_text();
  const JournalFile& file = parts_[part_].file;
  Result<EpochRecord> record = text ? read_epoch(file.path, *text) : tl::unexpected(text.error());
  if (record && file.kind == JournalFile::Kind::log && record->epoch != file.first + within_)
    record = fail(ErrorCode::invalid_input,
                  fmt::format("{}: found epoch {}; allowed: {}", file.path, record->epoch, file.first + within_));
  ++within_;
  if (record) return *std::move(record);
  part_ = parts_.size();
  return tl::unexpected(record.error());
}

Result<std::string> JournalReader::next_text() {
  const JournalFile& file = parts_[part_].file;
  if (file.kind == JournalFile::Kind::record) return read_text_file(file.path);
  if (!log_) {
    Result<JournalLog> log = read_log(file.path);
    if (!log) return tl::unexpected(log.error());
    log_ = *std::move(log);
    if (Result<void> skipped = log_->skip(within_); !skipped) return tl::unexpected(skipped.error());
  }
  Result<std::optional<std::string>> text = log_->next();
  if (!text) return tl::unexpected(text.error());
  if (!*text) return fail(ErrorCode::unavailable, fmt::format("{}: became shorter while it was read", file.path));
  return **std::move(text);
}

Result<void> JournalReader::begin_within(Duration window) {
  std::optional<TimePoint> newest;
  std::size_t begin = parts_.size();
  while (begin > 0) {
    part_ = --begin, within_ = 0;
    log_.reset();
    if (parts_[begin].records == 0) continue;
    const Result<std::optional<EpochRecord>> first = next();
    if (!first) return tl::unexpected(first.error());
    const TimePoint began = (*first)->snapshot.cluster.now;
    if (!newest) newest = began;
    if (*newest - began >= window) break;
  }
  part_ = begin, within_ = 0;
  log_.reset();
  return {};
}

Result<EpochRecord> JournalReader::find(std::uint64_t epoch) {
  const auto part = std::ranges::find_if(
      parts_, [&](const Part& one) { return one.file.first <= epoch && epoch < one.file.first + one.records; });
  if (part == parts_.end())
    return fail(ErrorCode::invalid_input, fmt::format("epoch: expected one of the journal, {} to {}, found {}",
                                                      first_epoch(), last_epoch(), epoch));
  part_ = static_cast<std::size_t>(part - parts_.begin()), within_ = static_cast<std::size_t>(epoch - part->file.first);
  log_.reset();
  Result<std::optional<EpochRecord>> record = next();
  if (!record) return tl::unexpected(record.error());
  return **std::move(record);
}

}  // namespace lips
