#include "records/epoch_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "config/text_file.h"

namespace lips {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "epoch-", suffix = ".json.gz";
// No journal reaches this number. A file with a greater one is not ours, so there is always a next number.
constexpr std::uint64_t most_epochs = 1'000'000'000'000'000;

std::string file_name(std::uint64_t epoch) { return fmt::format("{}{:010}{}", prefix, epoch, suffix); }

std::optional<std::uint64_t> epoch_of(std::string_view name) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  const std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  std::uint64_t epoch = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), epoch);
  const bool whole = code == std::errc() && end == digits.data() + digits.size() && !digits.empty();
  return whole && epoch <= most_epochs ? std::optional(epoch) : std::nullopt;
}

}  // namespace

Result<std::vector<JournalEntry>> list_journal(const std::string& directory) {
  std::error_code problem;
  std::vector<JournalEntry> entries;
  for (fs::directory_iterator it(directory, problem), end; !problem && it != end; it.increment(problem))
    if (const auto epoch = epoch_of(it->path().filename().string())) entries.push_back({*epoch, it->path().string()});
  if (problem) return fail(ErrorCode::not_found, fmt::format("{}: cannot be read: {}", directory, problem.message()));
  std::sort(entries.begin(), entries.end(),
            [](const JournalEntry& a, const JournalEntry& b) { return a.epoch < b.epoch; });
  return entries;
}

Result<EpochJournal> EpochJournal::open(const std::string& directory, Mebibytes size) {
  std::error_code problem;
  fs::create_directories(directory, problem);
  if (problem)
    return fail(ErrorCode::unavailable, fmt::format("journal.directory: {}: {}", directory, problem.message()));
  const Result<std::vector<JournalEntry>> known = list_journal(directory);
  if (!known) return tl::unexpected(known.error());
  EpochJournal journal;
  journal.directory_ = directory;
  journal.size_ = size;
  for (const JournalEntry& entry : *known) {
    const auto bytes = fs::file_size(entry.file, problem);
    if (problem) continue;
    journal.entries_.push_back({entry.epoch, bytes});
    journal.bytes_ += bytes;
    journal.next_ = entry.epoch + 1;
  }
  // Removes files that a crash left half written.
  for (fs::directory_iterator it(directory, problem), end; !problem && it != end; it.increment(problem))
    if (it->path().extension() == ".unfinished") fs::remove(it->path(), problem);
  journal.drop_oldest();
  return journal;
}

Result<void> EpochJournal::add(const std::string& text) {
  const fs::path file = fs::path(directory_) / file_name(next_);
  if (Result<void> written = write_text_file(file.string(), text); !written) return written;
  std::error_code problem;
  const auto bytes = fs::file_size(file, problem);
  if (problem) return fail(ErrorCode::unavailable, fmt::format("{}: {}", file.string(), problem.message()));
  entries_.push_back({next_++, bytes});
  bytes_ += bytes;
  drop_oldest();
  return {};
}

void EpochJournal::drop_oldest() {
  const double most = size_.value() * bytes_per_mebibyte;
  std::size_t gone = 0;
  for (; gone < entries_.size() && static_cast<double>(bytes_) > most; ++gone) {
    std::error_code ignored;
    fs::remove(fs::path(directory_) / file_name(entries_[gone].epoch), ignored);
    bytes_ -= entries_[gone].bytes;
  }
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(gone));
}

}  // namespace lips
