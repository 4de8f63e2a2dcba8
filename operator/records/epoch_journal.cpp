#include "records/epoch_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "config/text_file.h"
#include "records/journal_log.h"
#include "records/text_delta.h"

namespace lips {

namespace fs = std::filesystem;

namespace {

// Who looks for one record unpacks all before it in its file.
constexpr std::uint64_t most_records = 500;

std::error_code last_error() { return {errno, std::generic_category()}; }

bool is_full(const std::error_code& problem) {
  return problem == std::errc::no_space_on_device || problem.value() == EDQUOT;
}

// Returns how many records the newest file has. What a crash left behind the last whole one is cut off; a file of
// another version stays as it is.
std::uint64_t mend(const std::string& path) {
  Result<std::string> bytes = read_text_file(path);
  if (!bytes) return 1;
  const bool ours = is_journal_log(*bytes);
  Result<JournalLog> log = JournalLog::open(path, *std::move(bytes));
  if (!log && ours) return 1;
  if (log) log->check();  // a crash can leave zeros in the middle of a record
  std::error_code ignored;
  if (log && log->end() != JournalLog::End::whole && log->records() > 0)
    fs::resize_file(path, log->good_bytes(), ignored);
  if (!log || log->records() == 0) fs::remove(path, ignored);
  return log ? log->records() : 0;
}

}  // namespace

std::error_code append_to_file(const std::string& path, std::string_view bytes) {
  std::error_code ignored;
  const bool existed = fs::exists(path, ignored);
  const auto before = existed ? fs::file_size(path, ignored) : 0;
  std::FILE* file = std::fopen(path.c_str(), "ab");
  if (!file) return last_error();
  std::error_code problem;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size()) problem = last_error();
  if (std::fclose(file) != 0 && !problem) problem = last_error();
  if (problem && existed) fs::resize_file(path, before, ignored);
  if (problem && !existed) fs::remove(path, ignored);
  return problem;
}

Result<EpochJournal> EpochJournal::open(const std::string& directory, Mebibytes size, Append append) {
  std::error_code problem;
  fs::create_directories(directory, problem);
  if (problem)
    return fail(ErrorCode::unavailable, fmt::format("journal.directory: {}: {}", directory, problem.message()));
  const Result<std::vector<JournalFile>> known = list_journal(directory);
  if (!known) return tl::unexpected(known.error());
  EpochJournal journal;
  journal.directory_ = directory, journal.size_ = size, journal.append_ = std::move(append);
  journal.go_on_after(*known);
  while (!journal.files_.empty() && static_cast<double>(journal.bytes_) > journal.most_bytes()) journal.drop_oldest();
  return journal;
}

void EpochJournal::go_on_after(const std::vector<JournalFile>& files) {
  begin_file();
  files_.clear(), bytes_ = 0;
  if (!files.empty()) {
    const JournalFile& newest = files.back();
    next_ = std::max(next_, newest.first + (newest.kind == JournalFile::Kind::log ? mend(newest.path) : 1));
  }
  for (const JournalFile& file : files) {
    std::error_code problem;
    const auto bytes = fs::file_size(file.path, problem);
    if (problem) continue;
    files_.push_back({file.path, bytes});
    bytes_ += bytes;
  }
}

// The newest file is ours and as we left it, or else there is more than we know.
std::uint64_t EpochJournal::next_epoch() {
  const Result<std::vector<JournalFile>> there = list_journal(directory_);
  if (!there || there->empty()) return next_;
  std::error_code problem;
  const std::string& newest = there->back().path;
  const bool same =
      !files_.empty() && files_.back().path == newest && fs::file_size(newest, problem) == files_.back().bytes;
  if (!same && !problem) go_on_after(*there);
  return next_;
}

// Where the differences are together as large as a whole record, another whole one costs little. A file that somebody
// else changed or deleted is left.
bool EpochJournal::newest_is_over() const {
  std::error_code ignored;
  return records_ == 0 || records_ >= most_records || files_.back().bytes > 2 * checkpoint_ ||
         fs::file_size(files_.back().path, ignored) != files_.back().bytes;
}

void EpochJournal::begin_file() {
  records_ = 0, checkpoint_ = 0;
  last_.clear();
}

Result<void> EpochJournal::add(std::string text) {
  if (newest_is_over()) begin_file();
  std::string bytes = records_ == 0 ? log_beginning(text) : text_delta(last_, text);
  // Its base would have to go to make room for it.
  if (records_ > 0 && static_cast<double>(files_.back().bytes + bytes.size()) > most_bytes()) {
    begin_file();
    bytes = log_beginning(text);
  }
  if (const Result<void> written = write(bytes); !written) return written;
  ++records_, ++next_;
  last_ = std::move(text);
  return {};
}

Result<void> EpochJournal::write(const std::string& bytes) {
  if (static_cast<double>(bytes.size()) > most_bytes())
    return fail(ErrorCode::unavailable, fmt::format("{}: found a record of {} bytes; allowed: journal.size, {:.0f}",
                                                    directory_, bytes.size(), most_bytes()));
  while (static_cast<double>(bytes_ + bytes.size()) > most_bytes()) drop_oldest();
  const bool first = records_ == 0;
  const std::string path = first ? (fs::path(directory_) / log_file_name(next_)).string() : files_.back().path;
  std::error_code ignored;
  if (first) fs::remove(path, ignored);
  std::error_code problem = append_(path, bytes);
  for (const std::size_t needed = first ? 0 : 1; is_full(problem) && files_.size() > needed;
       problem = append_(path, bytes))
    drop_oldest();
  if (problem) return fail(ErrorCode::unavailable, fmt::format("{}: {}", path, problem.message()));
  if (first) files_.push_back({path, 0});
  if (first) checkpoint_ = bytes.size();
  files_.back().bytes += bytes.size();
  bytes_ += bytes.size();
  return {};
}

void EpochJournal::drop_oldest() {
  std::error_code ignored;
  fs::remove(files_.front().path, ignored);
  bytes_ -= files_.front().bytes;
  files_.erase(files_.begin());
}

}  // namespace lips
