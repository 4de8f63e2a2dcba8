#include "model/degraded_input.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>

#include "model/stripe.h"

namespace lips {

namespace {

constexpr std::string_view prefix = "degraded:";

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) result += c == '%' ? "%25" : c == ';' ? "%3B" : std::string(1, c);
  return result;
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view code = text.substr(i, 3);
    if (code != "%25" && code != "%3B") {
      result += text[i];
      continue;
    }
    result += code == "%25" ? '%' : ';';
    i += 2;
  }
  return result;
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// False for an unknown field or a value that cannot be read.
bool take_field(std::string_view key, std::string_view value, DegradedInput& input) {
  if (key == "code") {
    const std::size_t comma = std::min(value.find(','), value.size());
    const auto n = number<std::int32_t>(value.substr(0, comma));
    const auto k = comma < value.size() ? number<std::int32_t>(value.substr(comma + 1)) : std::nullopt;
    if (!n || !k) return false;
    input.code = {*n, *k};
    return true;
  }
  if (key == "bytes") {
    const auto bytes = number<std::uint64_t>(value);
    input.bytes = bytes.value_or(0);
    return bytes.has_value();
  }
  if (key == "natives" || key == "row") {
    const auto count = number<std::uint32_t>(value);
    (key == "row" ? input.row : input.natives) = count.value_or(0);
    return count.has_value();
  }
  const auto row = number<std::uint32_t>(key);
  if (row) input.sources.emplace_back(*row, unescaped(value));
  return row.has_value();
}

std::string_view problem_of(const DegradedInput& input) {
  const auto n = static_cast<std::uint32_t>(std::max(0, input.code.n));
  const auto k = static_cast<std::uint32_t>(std::max(0, input.code.k));
  if (k < 1 || n <= k || n > 255) return "a code n,k with 0 < k < n < 256";
  if (input.natives < 1 || input.natives > k) return "natives from 1 to k";
  if (input.row >= n || (input.row >= input.natives && input.row < k)) return "a row that is some block's";
  if (input.sources.size() != input.natives) return "as many sources as natives";
  std::set<std::uint32_t> rows{input.row};
  for (const auto& [row, place] : input.sources)
    if (row >= n || (row >= input.natives && row < k) || !rows.insert(row).second)
      return "sources of different rows that are blocks' and not the wanted one";
  return "";
}

}  // namespace

bool operator==(const DegradedInput& a, const DegradedInput& b) {
  return a.code.n == b.code.n && a.code.k == b.code.k && a.natives == b.natives && a.row == b.row &&
         a.bytes == b.bytes && a.sources == b.sources;
}

DegradedInput degraded_input(const ClusterSnapshot& cluster, const Assignment& assignment,
                             const SourceLocation& location) {
  const BlockId wanted = cluster.tasks[assignment.task].block;
  const Block& block = cluster.blocks[wanted];
  const DataSet& data_set = cluster.data_sets[block.data_set];
  DegradedInput input;
  input.code = data_set.code;
  input.natives = stripe_of(data_set, wanted).natives;
  input.row = code_row(data_set, wanted);
  input.bytes = static_cast<std::uint64_t>(std::llround(block.size.value() * bytes_per_mebibyte));
  for (const StripeSource& source : assignment.sources)
    input.sources.emplace_back(code_row(data_set, source.block), location(source.block, source.store));
  return input;
}

std::string format_degraded_input(const DegradedInput& input) {
  std::string text = fmt::format("{}code={},{};natives={};row={};bytes={}", prefix, input.code.n, input.code.k,
                                 input.natives, input.row, input.bytes);
  for (const auto& [row, place] : input.sources)
    fmt::format_to(std::back_inserter(text), ";{}={}", row, escaped(place));
  return text;
}

bool is_degraded_input(std::string_view text) { return text.starts_with(prefix); }

Result<DegradedInput> parse_degraded_input(std::string_view text) {
  const auto wrong = [&](std::string_view found, std::string_view allowed) {
    return fail(ErrorCode::invalid_input, fmt::format("degraded input: found '{}'; allowed: {}", found, allowed));
  };
  if (!is_degraded_input(text)) return wrong(text, "text that begins with 'degraded:'");
  DegradedInput input;
  for (std::string_view rest = text.substr(prefix.size()); !rest.empty();) {
    const std::string_view field = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), field.size() + 1));
    const std::size_t equals = field.find('=');
    if (equals == std::string_view::npos || !take_field(field.substr(0, equals), field.substr(equals + 1), input))
      return wrong(field, "code=n,k; natives, row, bytes and ROW=PLACE with whole numbers");
  }
  if (const std::string_view problem = problem_of(input); !problem.empty()) return wrong(text, problem);
  return input;
}

}  // namespace lips
