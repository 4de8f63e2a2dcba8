#include "kubernetes/api/time_text.h"

#include <fmt/format.h>

#include <optional>

namespace lips::kubernetes {
namespace {

// Takes `count` digits from the front.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (const char letter : text.substr(0, count)) {
    if (letter < '0' || letter > '9') return std::nullopt;
    value = value * 10 + (letter - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char letter) {
  if (!text.starts_with(letter)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::int64_t> take_fraction(std::string_view& text) {
  std::int64_t micros = 0;
  if (!take(text, '.')) return micros;
  std::int64_t unit = 100'000;
  bool any = false;
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1), unit /= 10) {
    micros += unit * (text.front() - '0');
    any = true;
  }
  return any ? std::optional(micros) : std::nullopt;
}

// The offset from UTC.
std::optional<std::chrono::minutes> take_offset(std::string_view& text) {
  if (take(text, 'Z') || take(text, 'z')) return std::chrono::minutes(0);
  const bool east = text.starts_with('+');
  if (!take(text, '+') && !take(text, '-')) return std::nullopt;
  const auto hours = take_digits(text, 2);
  if (!hours || !take(text, ':')) return std::nullopt;
  const auto minutes = take_digits(text, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return std::chrono::minutes((east ? 1 : -1) * (*hours * 60 + *minutes));
}

std::optional<TimePoint> read_time(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day || (!take(text, 'T') && !take(text, 't'))) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || !take(text, ':')) return std::nullopt;
  const auto second = take_digits(text, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const auto fraction = take_fraction(text);
  const auto offset = fraction ? take_offset(text) : std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!offset || !text.empty() || !date.ok()) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch();
  const Duration since = days + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
                         std::chrono::seconds(*second) + Duration(*fraction) - *offset;
  // A leap second or an offset may lead out of the years with four digits.
  constexpr auto first = std::chrono::sys_days(std::chrono::year(0) / 1 / 1).time_since_epoch(),
                 end = std::chrono::sys_days(std::chrono::year(10000) / 1 / 1).time_since_epoch();
  return since >= first && since < end ? std::optional(TimePoint(since)) : std::nullopt;
}

std::string text_of(TimePoint time, bool micros) {
  const auto since = time.time_since_epoch();
  const auto days = std::chrono::floor<std::chrono::days>(since);
  const std::chrono::year_month_day date{std::chrono::sys_days(days)};
  const std::int64_t rest = Duration(since - days).count();
  const std::int64_t second = rest / 1'000'000;
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), second / 3600,
                                 second / 60 % 60, second % 60);
  if (micros) text += fmt::format(".{:06}", rest % 1'000'000);
  return text + 'Z';
}

}  // namespace

Result<TimePoint> parse_time(std::string_view text) {
  if (const auto time = read_time(text)) return *time;
  return fail(ErrorCode::invalid_input, fmt::format("found '{}'; allowed: a time such as 2026-01-31T12:00:00Z", text));
}

std::string time_text(TimePoint time) { return text_of(time, false); }
std::string micro_time_text(TimePoint time) { return text_of(time, true); }

}  // namespace lips::kubernetes
