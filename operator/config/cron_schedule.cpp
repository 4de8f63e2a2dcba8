#include "config/cron_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "config/quantities.h"
#include "config/ranges.h"

namespace lips {

namespace {

struct Field {
  std::string_view name;
  int least, most;
  std::string_view names;  // of the values from `least`, three letters each
};

constexpr Field minute{"minute", 0, 59, ""}, hour{"hour", 0, 23, ""}, day{"day of the month", 1, 31, ""},
    month{"month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"},
    weekday{"day of the week", 0, 6, "sunmontuewedthufrisat"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> descriptors{{{"@yearly", "0 0 1 1 *"},
                                                                                    {"@annually", "0 0 1 1 *"},
                                                                                    {"@monthly", "0 0 1 * *"},
                                                                                    {"@weekly", "0 0 * * 0"},
                                                                                    {"@daily", "0 0 * * *"},
                                                                                    {"@midnight", "0 0 * * *"},
                                                                                    {"@hourly", "0 * * * *"}}};

std::optional<int> value_of(std::string_view text, const Field& field) {
  if (text.size() == 3 && !field.names.empty()) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    for (std::size_t at = 0; at < field.names.size(); at += 3)
      if (field.names.substr(at, 3) == lower) return field.least + static_cast<int>(at / 3);
  }
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.front() == '-') return std::nullopt;
  return value;
}

// Takes the text up to the mark, and the mark, off its front.
std::string_view take(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view front = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return front;
}

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view blanks = " \t\n\v\f\r";
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(blanks); at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(blanks, end);
  }
  return words;
}

// One of the parts between commas: *, a, a-b, and each with /step.
template <class Bits>
bool add_range(std::string_view part, const Field& field, Bits& bits) {
  const bool stepped = part.find('/') != std::string_view::npos;
  std::string_view range = take(part, '/');
  const std::optional<int> step = stepped ? value_of(part, {"", 1, field.most, ""}) : 1;
  if (!step || *step < 1) return false;
  int first = field.least, last = field.most;
  if (range != "*" && range != "?") {
    const bool open = range.find('-') == std::string_view::npos;
    const std::optional<int> from = value_of(take(range, '-'), field);
    const std::optional<int> until = open ? from : value_of(range, field);
    if (!from || !until || *from < field.least || *until > field.most || *until < *from) return false;
    first = *from;
    if (!open || !stepped) last = *until;
  }
  for (int value = first; value <= last; value += *step) bits.set(static_cast<std::size_t>(value));
  return true;
}

template <class Bits>
Result<void> read(std::string_view text, const Field& field, Bits& bits) {
  for (std::string_view rest = text; !rest.empty();)
    if (!add_range(take(rest, ','), field, bits)) bits.reset(), rest = {};
  if (bits.any()) return {};
  return fail(ErrorCode::invalid_input,
              fmt::format("{}: found '{}'; allowed: *, numbers from {} to {}{}, ranges a-b, steps /n, lists",
                          field.name, text, field.least, field.most, field.names.empty() ? "" : " or their names"));
}

// Such a field restricts nothing where the other names days; one with steps does.
bool any(std::string_view text) {
  while (!text.empty())
    if (const std::string_view part = take(text, ','); part == "*" || part == "?" || part == "*/1" || part == "?/1")
      return true;
  return false;
}

}  // namespace

Result<CronSchedule> CronSchedule::parse(std::string_view text) {
  for (const auto& [name, fields] : descriptors)
    if (text == name) text = fields;
  const std::vector<std::string_view> fields = words_of(text);
  if (fields.size() == 2 && fields[0] == "@every") {
    CronSchedule result;
    result.every_ = parse_duration(fields[1]);
    if (result.every_ && *result.every_ >= std::chrono::minutes(1) && *result.every_ <= longest_duration) return result;
    return fail(ErrorCode::invalid_input,
                fmt::format("found '{}'; allowed: @every with a duration of a minute or more, such as @every 1h30m",
                            text.substr(0, 100)));
  }
  if (fields.size() != 5)
    return fail(ErrorCode::invalid_input,
                fmt::format("found '{}'; allowed: five fields, such as '30 2 * * 1-5', or @hourly, @daily, "
                            "@weekly, @monthly, @yearly, @every 1h30m",
                            text.substr(0, 100)));
  CronSchedule result;
  for (const Result<void>& each : {read(fields[0], minute, result.minutes_), read(fields[1], hour, result.hours_),
                                   read(fields[2], day, result.days_), read(fields[3], month, result.months_),
                                   read(fields[4], weekday, result.weekdays_)})
    if (!each) return tl::unexpected(each.error());
  result.any_day_ = any(fields[2]);
  result.any_weekday_ = any(fields[4]);
  return result;
}

bool CronSchedule::matches(TimePoint shown) const {
  using namespace std::chrono;
  const auto days = floor<std::chrono::days>(shown.time_since_epoch());
  const sys_days date{std::chrono::days(days)};
  const year_month_day calendar(date);
  const hh_mm_ss clock(floor<minutes>(shown.time_since_epoch() - days));
  if (!minutes_[static_cast<std::size_t>(clock.minutes().count())]) return false;
  if (!hours_[static_cast<std::size_t>(clock.hours().count())]) return false;
  if (!months_[static_cast<unsigned>(calendar.month())]) return false;
  const bool on_day = days_[static_cast<unsigned>(calendar.day())];
  const bool on_weekday = weekdays_[std::chrono::weekday(date).c_encoding()];
  return any_day_ || any_weekday_ ? on_day && on_weekday : on_day || on_weekday;
}

std::vector<TimePoint> CronSchedule::within(TimePoint from, TimePoint to, const TimeZone& zone, TimePoint since) const {
  using namespace std::chrono;
  std::vector<TimePoint> result;
  if (every_) {
    const auto passed = from > since ? (from - since + *every_ - Duration(1)) / *every_ : 1;
    for (TimePoint at = since + *every_ * std::max<std::int64_t>(passed, 1); at < to; at += *every_) result.push_back(at);
    return result;
  }
  for (Duration at = ceil<minutes>(from.time_since_epoch()); TimePoint(at) < to; at += minutes(1))
    if (matches(TimePoint(at) + zone.offset(TimePoint(at)))) result.emplace_back(at);
  return result;
}

}  // namespace lips
