#include "kubernetes/api/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace lips::kubernetes {
namespace {

__extension__ using Wide = __int128;  // 64 bits cannot hold 2^63 units in billionths
constexpr std::int64_t billion = 1'000'000'000;
constexpr Wide most_nanos = static_cast<Wide>(std::numeric_limits<std::int64_t>::max()) * billion;

// value = mantissa * 10^decimal * 2^binary
struct Scale {
  int decimal = 0;
  int binary = 0;
};

std::optional<Scale> scale_of(std::string_view suffix) {
  struct Named {
    std::string_view suffix;
    Scale scale;
  };
  static constexpr Named suffixes[] = {{"", {}},        {"n", {-9, 0}},  {"u", {-6, 0}},  {"m", {-3, 0}},
                                       {"k", {3, 0}},   {"M", {6, 0}},   {"G", {9, 0}},   {"T", {12, 0}},
                                       {"P", {15, 0}},  {"E", {18, 0}},  {"Ki", {0, 10}}, {"Mi", {0, 20}},
                                       {"Gi", {0, 30}}, {"Ti", {0, 40}}, {"Pi", {0, 50}}, {"Ei", {0, 60}}};
  for (const Named& named : suffixes)
    if (named.suffix == suffix) return named.scale;
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return std::nullopt;
  std::string_view digits = suffix.substr(1);
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  int exponent = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (code == std::errc::result_out_of_range && digits[0] != '-') return Scale{std::numeric_limits<int>::max() / 2, 0};
  if (code == std::errc::result_out_of_range) return Scale{std::numeric_limits<int>::min() / 2, 0};
  if (code != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return Scale{exponent, 0};
}

// Digits beyond the capacity of a Wide are dropped; only whether any is not 0 matters.
struct Mantissa {
  Wide digits = 0;
  int exponent = 0;
  bool remainder = false;
};

constexpr Wide digits_limit = static_cast<Wide>(billion) * billion;  // times 2^60 still fits

// Reads a number such as "12.345" off the front of `text`.
std::optional<Mantissa> read_mantissa(std::string_view& text) {
  Mantissa mantissa;
  bool any = false, point = false;
  while (!text.empty()) {
    const char letter = text.front();
    if (letter == '.' && !point) {
      point = true;
    } else if (letter >= '0' && letter <= '9') {
      any = true;
      if (mantissa.digits >= digits_limit) {
        mantissa.remainder = mantissa.remainder || letter != '0';
        mantissa.exponent += point ? 0 : 1;
      } else {
        mantissa.digits = mantissa.digits * 10 + (letter - '0');
        mantissa.exponent -= point ? 1 : 0;
      }
    } else {
      break;
    }
    text.remove_prefix(1);
  }
  return any ? std::optional(mantissa) : std::nullopt;
}

// In billionths, rounded up.
Wide to_nanos(const Mantissa& mantissa, Scale scale) {
  Wide value = mantissa.digits;
  bool remainder = mantissa.remainder;
  if (value == 0) return remainder ? 1 : 0;
  value <<= scale.binary;  // at most 1e19 * 2^60 < 2^127
  const std::int64_t exponent = static_cast<std::int64_t>(mantissa.exponent) + scale.decimal + 9;
  for (std::int64_t power = exponent; power > 0 && value <= most_nanos; --power) {
    if (value > most_nanos / 10 + 1) return most_nanos;
    value *= 10;
  }
  for (std::int64_t power = exponent; power < 0; ++power) {
    remainder = remainder || value % 10 != 0;
    value /= 10;
    if (value == 0) break;
  }
  return std::min<Wide>(value + (remainder ? 1 : 0), most_nanos);
}

std::int64_t rounded_up(std::int64_t whole, std::int32_t nanos, std::int64_t parts) {
  const Wide total = static_cast<Wide>(whole) * billion + nanos;
  const Wide step = billion / parts;
  const Wide value = total >= 0 ? (total + step - 1) / step : total / step;
  constexpr Wide most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp<Wide>(value, -most, most));
}

}  // namespace

std::int64_t ResourceQuantity::milli() const { return rounded_up(whole, nanos, 1000); }
std::int64_t ResourceQuantity::units() const { return rounded_up(whole, nanos, 1); }

Result<ResourceQuantity> parse_quantity(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const std::optional<Mantissa> mantissa = read_mantissa(rest);
  const std::optional<Scale> scale = mantissa ? scale_of(rest) : std::nullopt;
  if (!scale)
    return fail(ErrorCode::invalid_input,
                fmt::format("found '{}'; allowed: a quantity such as 2, 0.5, 100m, 64Mi or 1e3", text));
  const Wide nanos = to_nanos(*mantissa, *scale) * (negative ? -1 : 1);
  return ResourceQuantity{static_cast<std::int64_t>(nanos / billion), static_cast<std::int32_t>(nanos % billion)};
}

}  // namespace lips::kubernetes
