#include "config/quantities.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "config/ranges.h"

namespace lips {

namespace {

// Takes the number off the start of the text.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::general);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

void trim(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
}

using Unit = std::pair<std::string_view, double>;
constexpr std::array<Unit, 5> time_units{{{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}}};
constexpr double mebi = bytes_per_mebibyte;
constexpr std::array<Unit, 13> size_units{{{"B", 1 / mebi},
                                           {"KB", 1e3 / mebi},
                                           {"MB", 1e6 / mebi},
                                           {"GB", 1e9 / mebi},
                                           {"TB", 1e12 / mebi},
                                           {"Ki", 1 / 1024.0},
                                           {"Mi", 1},
                                           {"Gi", 1024},
                                           {"Ti", mebi},
                                           {"KiB", 1 / 1024.0},
                                           {"MiB", 1},
                                           {"GiB", 1024},
                                           {"TiB", mebi}}};

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  trim(text);
  const std::optional<double> value = take_number(text);
  return text.empty() ? value : std::nullopt;
}

std::optional<Duration> parse_duration(std::string_view text) {
  trim(text);
  if (text == "0") return Duration(0);
  if (text.empty()) return std::nullopt;
  double total = 0;
  while (!text.empty()) {
    const std::optional<double> value = take_number(text);
    if (!value || *value < 0) return std::nullopt;
    const auto letters = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), [](unsigned char c) { return std::isalpha(c); }) - text.begin());
    const auto unit = std::find_if(time_units.begin(), time_units.end(),
                                   [&](const Unit& known) { return known.first == text.substr(0, letters); });
    if (unit == time_units.end()) return std::nullopt;
    total += *value * unit->second;
    text.remove_prefix(letters);
  }
  if (!(total <= to_seconds(longest_duration))) return std::nullopt;
  return seconds(total);
}

std::optional<Duration> parse_time_of_day(std::string_view text) {
  trim(text);
  if (text.empty()) return Duration(0);
  const auto digit = [&](std::size_t i) { return std::isdigit(static_cast<unsigned char>(text[i])) != 0; };
  if (text.size() != 5 || text[2] != ':' || !digit(0) || !digit(1) || !digit(3) || !digit(4)) return std::nullopt;
  const int hours = (text[0] - '0') * 10 + text[1] - '0', minutes = (text[3] - '0') * 10 + text[4] - '0';
  const Duration value = std::chrono::hours(hours) + std::chrono::minutes(minutes);
  if (minutes > 59 || value > std::chrono::hours(24)) return std::nullopt;
  return value == Duration(0) ? std::chrono::hours(24) : value;
}

std::string time_of_day(Duration since_midnight) {
  if (since_midnight <= Duration(0)) return "";
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(since_midnight).count();
  const auto two = [](std::int64_t value) { return std::string(value < 10 ? "0" : "") + std::to_string(value); };
  return two(minutes / 60) + ":" + two(minutes % 60);
}

std::optional<Mebibytes> parse_size(std::string_view text) {
  trim(text);
  if (text == "0") return Mebibytes(0);
  const std::optional<double> value = take_number(text);
  if (!value || *value < 0) return std::nullopt;
  trim(text);
  const auto unit =
      std::find_if(size_units.begin(), size_units.end(), [&](const Unit& known) { return known.first == text; });
  if (unit == size_units.end()) return std::nullopt;
  const Mebibytes size(*value * unit->second);
  return in_range(size) ? std::optional(size) : std::nullopt;
}

std::optional<double> parse_amount(std::string_view text, std::string_view unit) {
  trim(text);
  const std::optional<double> value = take_number(text);
  if (!value) return std::nullopt;
  trim(text);
  return text.empty() || text == unit ? value : std::nullopt;
}

std::optional<MebibytesPerSecond> parse_bandwidth(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 4> units{
      {{"MiB/s", 1}, {"MB/s", 1e6 / mebi}, {"Mbit/s", 1e6 / 8 / mebi}, {"Gbit/s", 1e9 / 8 / mebi}}};
  if (text == "0") return MebibytesPerSecond(0);
  for (const auto& [unit, factor] : units) {
    if (!text.ends_with(unit)) continue;
    const std::optional<double> value = parse_number(text.substr(0, text.size() - unit.size()));
    if (value && in_range(MebibytesPerSecond(*value * factor))) return MebibytesPerSecond(*value * factor);
  }
  return std::nullopt;
}

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same =
          std::tolower(static_cast<unsigned char>(a[i - 1])) == std::tolower(static_cast<unsigned char>(b[j - 1]));
      const int changed = diagonal + (same ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace lips
