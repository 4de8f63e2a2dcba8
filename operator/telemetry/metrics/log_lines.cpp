#include "telemetry/metrics/log_lines.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <utility>

#include "base/visible_text.h"

namespace lips {

namespace {

constexpr std::array<std::string_view, 5> log_level_names{"debug", "info", "warning", "error", "off"};

std::string time_text(WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                     (time - seconds).count());
}

// Quotes for JSON and logfmt alike; bytes that are not UTF-8 stay unchanged.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\', out += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else
      out += c;
  }
  return visible(out) + "\"";
}

bool plain(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || std::string_view("-_./:+@,").find(static_cast<char>(c)) != std::string::npos;
  });
}

}  // namespace

std::string logfmt_line(WallTime time, LogLevel level, std::string_view message,
                        std::initializer_list<LogField> fields) {
  std::string out = fmt::format("time={} level={} msg={}", time_text(time),
                                log_level_names[static_cast<std::size_t>(level)], quoted(message));
  for (const LogField& field : fields)
    fmt::format_to(std::back_inserter(out), " {}={}", field.key,
                   plain(field.value) ? field.value : quoted(field.value));
  return out + "\n";
}

std::string json_line(WallTime time, LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  std::string out = fmt::format(R"({{"time":"{}","level":"{}","msg":{})", time_text(time),
                                log_level_names[static_cast<std::size_t>(level)], quoted(message));
  for (const LogField& field : fields) {
    const bool bare = field.bare && field.value.find_first_of("in") == std::string::npos;  // inf and nan are not JSON
    fmt::format_to(std::back_inserter(out), ",{}:{}", quoted(field.key),
                   bare || field.value == "true" ? field.value : quoted(field.value));
  }
  return out + "}\n";
}

LineLog::LineLog(Form form, LogLevel least, Out out) : form_(form), least_(least), out_(std::move(out)) {
  if (!out_)
    out_ = [](const std::string& line) {
      [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    };
}

void LineLog::write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (!wants(level)) return;
  const WallTime now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  out_(form_ == Form::json ? json_line(now, level, message, fields) : logfmt_line(now, level, message, fields));
}

}  // namespace lips
