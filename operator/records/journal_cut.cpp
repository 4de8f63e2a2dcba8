#include "records/journal_cut.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "config/text_file.h"
#include "records/journal_files.h"
#include "records/journal_log.h"
#include "records/text_delta.h"

namespace lips {

namespace fs = std::filesystem;

namespace {
constexpr std::uint64_t records_in_a_file = 500;  // in a file of a folder, as an operator writes them
}

Result<JournalCut> JournalCut::open(std::string output) {
  JournalCut cut;
  cut.folder_ = fs::path(output).extension() != ".zst";
  cut.output_ = std::move(output);
  if (!cut.folder_) return cut;
  std::error_code problem;
  fs::create_directories(cut.output_, problem);
  if (problem) return fail(ErrorCode::unavailable, fmt::format("{}: {}", cut.output_, problem.message()));
  if (!fs::is_empty(cut.output_, problem))
    return fail(
        ErrorCode::invalid_input,
        fmt::format("{}: found a folder with files; allowed: a file that ends in .zst, or a new or empty folder",
                    cut.output_));
  return cut;
}

Result<void> JournalCut::add(std::uint64_t epoch, std::string text) {
  const bool gap = !bytes_.empty() && epoch != next_;
  if (gap && !folder_)
    return fail(ErrorCode::invalid_input,
                fmt::format("{}: found no record of the epochs {} to {}; allowed: a folder for a cut with a gap, or "
                            "a cut on one side of it",
                            output_, next_, epoch - 1));
  if (gap || (folder_ && next_ - first_ >= records_in_a_file))
    if (Result<void> written = write(); !written) return written;
  if (bytes_.empty()) {
    first_ = epoch;
    bytes_ = log_beginning(text);
  } else {
    bytes_ += text_delta(last_, text);
  }
  next_ = epoch + 1, last_ = std::move(text), ++records_;
  return {};
}

Result<void> JournalCut::finish() { return bytes_.empty() ? Result<void>{} : write(); }

Result<void> JournalCut::write() {
  const std::string path = folder_ ? (fs::path(output_) / log_file_name(first_)).string() : output_;
  const Result<void> written = write_text_file(path, bytes_);
  bytes_.clear(), last_.clear();
  return written;
}

}  // namespace lips
