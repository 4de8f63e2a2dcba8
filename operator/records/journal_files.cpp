#include "records/journal_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <tuple>

namespace lips {

namespace fs = std::filesystem;

namespace {

struct Naming {
  JournalFile::Kind kind;
  std::string_view prefix, suffix;
};
constexpr Naming of_logs{JournalFile::Kind::log, "journal-", ".zst"};
constexpr Naming of_records{JournalFile::Kind::record, "epoch-", ".json.gz"};

// No journal reaches this number. A file with a greater one is not ours, so there is always a next number.
constexpr std::uint64_t most_epochs = 1'000'000'000'000'000;

std::optional<std::uint64_t> epoch_of(std::string_view name, const Naming& naming) {
  if (!name.starts_with(naming.prefix) || !name.ends_with(naming.suffix)) return std::nullopt;
  name.remove_prefix(naming.prefix.size());
  if (name.size() < naming.suffix.size()) return std::nullopt;
  name.remove_suffix(naming.suffix.size());
  std::uint64_t epoch = 0;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), epoch);
  const bool whole = code == std::errc() && end == name.data() + name.size() && !name.empty();
  return whole && epoch <= most_epochs ? std::optional(epoch) : std::nullopt;
}

}  // namespace

Result<std::vector<JournalFile>> list_journal(const std::string& directory) {
  std::error_code problem;
  std::vector<JournalFile> files;
  for (fs::directory_iterator it(directory, problem), end; !problem && it != end; it.increment(problem))
    for (const Naming& naming : {of_records, of_logs})
      if (const auto epoch = epoch_of(it->path().filename().string(), naming))
        files.push_back({*epoch, naming.kind, it->path().string()});
  if (problem) return fail(ErrorCode::not_found, fmt::format("{}: cannot be read: {}", directory, problem.message()));
  std::ranges::sort(files, {}, [](const JournalFile& file) { return std::tuple(file.first, file.kind, file.path); });
  return files;
}

std::string log_file_name(std::uint64_t first) {
  return fmt::format("{}{:010}{}", of_logs.prefix, first, of_logs.suffix);
}

}  // namespace lips
