#include "telemetry/page/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace lips::page {
namespace {

constexpr double minute = 60, hour = 3600, day = 86400;

std::string grouped(std::string digits) {
  const auto point = std::min(digits.find('.'), digits.size());
  for (std::size_t at = point; at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string fixed(double value, int decimals) { return grouped(fmt::format("{:.{}f}", value, decimals)); }

// "48.2", "961", "12,345": never with an exponent.
std::string three_digits(double value) {
  return value < 99.95 ? fmt::format("{:.3g}", value) : fixed(value, 0);
}

// "2 h 05 min": two neighbouring units, without the lower one if it is zero.
std::string two_units(double seconds, double unit, double lower, std::array<const char*, 2> names) {
  const auto parts = static_cast<long long>(std::llround(seconds / lower));
  const auto per_unit = static_cast<long long>(unit / lower);
  const auto whole = parts / per_unit, rest = parts % per_unit;
  if (rest == 0) return fmt::format("{} {}", grouped(std::to_string(whole)), names[0]);
  return per_unit == 60 ? fmt::format("{} {} {:02} {}", whole, names[0], rest, names[1])
                        : fmt::format("{} {} {} {}", grouped(std::to_string(whole)), names[0], rest, names[1]);
}

}  // namespace

std::string usd(double dollars) {
  if (!std::isfinite(dollars)) return "-";
  const double size = std::abs(dollars);
  std::string text;
  if (size >= 1e15) {
    text = fmt::format("{:.3g}", size);
  } else if (size >= 9999.995) {
    text = fixed(size, 0);
  } else if (size >= 0.095 || size < 5e-9) {
    text = fixed(size, 2);
  } else {
    const int decimals = 1 - static_cast<int>(std::floor(std::log10(size)));
    text = fmt::format("{:.{}f}", size, decimals);
  }
  return (dollars < 0 && size >= 5e-9 ? "-$" : "$") + text;
}

std::string percent(double fraction) {
  if (!std::isfinite(fraction)) return "-";
  const double value = fraction * 100, size = std::abs(value);
  if (size < 0.005) return "0 %";
  if (size < 0.1) return fmt::format("{:.2f} %", value);
  if (size < 9.95 && std::abs(value - std::round(value)) >= 0.05) return fmt::format("{:.1f} %", value);
  return fmt::format("{}{} %", value < 0 ? "-" : "", fixed(size, 0));
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 0) return fmt::format("-{}", duration(-seconds));
  if (seconds < 5e-7) return "0 s";
  if (seconds < 9.995e-4) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 0.0995) return fmt::format("{:.2g} ms", seconds * 1e3);
  if (seconds < 9.95) {
    auto text = fmt::format("{:.{}f}", seconds, seconds < 0.995 ? 2 : 1);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return text + " s";
  }
  if (seconds < 59.5) return fmt::format("{:.0f} s", seconds);
  if (seconds < hour - 0.5) return two_units(seconds, minute, 1, {"min", "s"});
  if (seconds < day - 30) return two_units(seconds, hour, minute, {"h", "min"});
  return two_units(seconds, day, hour, {"d", "h"});
}

std::string foreseen(Duration span) { return span < longest_span ? duration(to_seconds(span)) : "never"; }

std::string when(double seconds) { return seconds < 0 ? duration(-seconds) + " ago" : "in " + duration(seconds); }

std::string epoch(double seconds) {
  if (!(seconds >= 1 && seconds <= 10'000)) return duration(seconds);
  auto text = fixed(seconds, std::abs(seconds - std::round(seconds)) < 0.05 ? 0 : 1);
  return text + " s";
}

std::string hours(double seconds) { return std::isfinite(seconds) ? fixed(seconds / 3600, 1) : "-"; }

std::string gigabytes(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::abs(value);
  const std::string sign = value < 0 ? "-" : "";
  if (size < 0.5e-9) return "0 GB";
  if (size < 0.9995e-6) return sign + fixed(size * 1e9, 0) + " B";
  if (size < 0.9995e-3) return sign + three_digits(size * 1e6) + " kB";
  if (size < 0.1) return sign + three_digits(size * 1e3) + " MB";
  if (size < 9.95) return fmt::format("{}{:.2g} GB", sign, size);
  if (size < 1e4) return sign + fixed(size, 0) + " GB";
  return sign + (size < 0.9995e6 ? three_digits(size / 1e3) + " TB" : three_digits(size / 1e6) + " PB");
}

std::string multiple(double value) {
  if (!std::isfinite(value)) return "-";
  return std::abs(value) < 99.5 ? fmt::format("{:.2f}", value) : fixed(value, 0);
}

std::string count(std::size_t value) { return grouped(std::to_string(value)); }

Change change(double value, double base) {
  if (!std::isfinite(value) || !std::isfinite(base) || base <= 0) return {};
  const double fraction = value / base - 1;
  if (std::abs(fraction) < 5e-5) return {Change::Kind::same};
  return {fraction < 0 ? Change::Kind::less : Change::Kind::more, std::abs(fraction)};
}

std::string to_string(const Change& change) {
  switch (change.kind) {
    case Change::Kind::unknown:
      return "-";
    case Change::Kind::same:
      return "the same";
    case Change::Kind::less:
      return percent(change.fraction) + " less";
    case Change::Kind::more:
      return percent(change.fraction) + " more";
  }
  return "-";
}

}  // namespace lips::page
