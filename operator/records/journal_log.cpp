#include "records/journal_log.h"

#include <fmt/format.h>

#include <utility>

#include "records/text_delta.h"

namespace lips {

namespace {

constexpr std::string_view log_format = "lips-journal ", log_version = "1";
// A skippable frame of zstd: this, four bytes for the length of what follows, the lowest first, and the format.
constexpr std::string_view skippable = "\x5c\x2a\x4d\x18";
constexpr std::size_t before_format = 8;

std::string header() {
  std::string bytes(skippable);
  bytes += static_cast<char>(log_format.size() + log_version.size());
  bytes.append(before_format - bytes.size(), '\0');
  return bytes.append(log_format).append(log_version);
}

}  // namespace

std::string log_beginning(std::string_view checkpoint) { return header() + text_delta("", checkpoint); }

bool is_journal_log(std::string_view bytes) {
  const std::size_t at = before_format + log_format.size();
  return bytes.size() > at && bytes.starts_with(skippable) && bytes.substr(before_format).starts_with(log_format) &&
         bytes[at] >= '0' && bytes[at] <= '9';
}

Result<JournalLog> JournalLog::open(std::string name, std::string bytes) {
  JournalLog log;
  if (bytes.size() < header().size() && header().starts_with(bytes)) {
    log.end_ = End::cut;
    return log;
  }
  const LeadingFrame first = leading_frame(bytes);
  if (!is_journal_log(bytes) || first.state != LeadingFrame::State::whole ||
      first.bytes <= before_format + log_format.size())
    return fail(ErrorCode::invalid_input,
                fmt::format("{}: found other bytes at its beginning; allowed: a file of a journal", name));
  const std::string_view found =
      std::string_view(bytes).substr(0, first.bytes).substr(before_format + log_format.size());
  if (found != log_version)
    return fail(ErrorCode::invalid_input,
                fmt::format("{}: found a journal of version {:.20}; allowed: {}", name, found, log_version));
  for (log.good_ = first.bytes; log.good_ < bytes.size();) {
    const LeadingFrame frame = leading_frame(std::string_view(bytes).substr(log.good_));
    if (frame.state != LeadingFrame::State::whole) {
      log.end_ = frame.state == LeadingFrame::State::cut ? End::cut : End::damaged;
      break;
    }
    log.frames_.push_back({log.good_, frame.bytes});
    log.good_ += frame.bytes;
  }
  log.name_ = std::move(name), log.bytes_ = std::move(bytes);
  return log;
}

Result<std::optional<std::string>> JournalLog::next() {
  if (next_ == frames_.size()) return std::nullopt;
  if (const Result<void> unpacked = unpack(); !unpacked) return tl::unexpected(unpacked.error());
  return text_;
}

Result<void> JournalLog::skip(std::size_t records) {
  for (; records > 0 && next_ < frames_.size(); --records)
    if (Result<void> unpacked = unpack(); !unpacked) return unpacked;
  return {};
}

void JournalLog::check() {
  std::size_t whole = 0;
  while (whole < frames_.size() && unpack()) ++whole;
  if (whole < frames_.size()) {
    good_ = frames_[whole].at, end_ = End::damaged;
    frames_.resize(whole);
  }
  next_ = 0;
  text_.clear();
}

Result<void> JournalLog::unpack() {
  const Frame frame = frames_[next_];
  const std::string place = fmt::format("{}: record {}, byte {}", name_, next_ + 1, frame.at);
  Result<std::string> text = text_after(place, text_, std::string_view(bytes_).substr(frame.at, frame.bytes));
  next_ = text ? next_ + 1 : frames_.size();
  if (!text) return tl::unexpected(text.error());
  text_ = *std::move(text);
  return {};
}

}  // namespace lips
