#include "config/csv_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "config/quantities.h"

namespace lips {

namespace {

std::vector<std::string> split_csv(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  return cells;
}

}  // namespace

CsvTable::CsvTable(std::string file, std::string_view text, const std::vector<std::string>& columns)
    : errors_{std::move(file)} {
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view content = text.substr(begin, end - begin);
    begin = end + 1;
    ++line;
    if (content.empty()) continue;
    std::vector<std::string> cells = split_csv(content);
    if (names_.empty()) {
      names_ = std::move(cells);
      continue;
    }
    if (cells.size() != names_.size())
      note(line, "", fmt::format("{} columns", cells.size()), fmt::format("{}", names_.size()));
    cells.resize(names_.size());
    rows_.push_back(std::move(cells));
    lines_.push_back(line);
  }
  for (const std::string& column : columns)
    if (std::find(names_.begin(), names_.end(), column) == names_.end())
      note(1, column, "no such column", fmt::format("{}", fmt::join(columns, ",")));
}

const std::string& CsvTable::text(std::size_t row, std::string_view column) const {
  static const std::string empty;
  const auto found = std::find(names_.begin(), names_.end(), column);
  return found == names_.end() ? empty : rows_[row][static_cast<std::size_t>(found - names_.begin())];
}

double CsvTable::number(std::size_t row, std::string_view column, NumberRange range) {
  const std::optional<double> value = parse_number(text(row, column));
  if (value && range.contains(*value)) return *value;
  problem(row, column, fmt::format("a number from {} to {}", range.least, range.most));
  return range.least;
}

std::optional<double> CsvTable::optional_number(std::size_t row, std::string_view column) {
  return text(row, column).empty() ? std::nullopt : std::optional(number(row, column));
}

void CsvTable::problem(std::size_t row, std::string_view column, std::string_view allowed) {
  note(lines_[row], column, '\'' + text(row, column) + '\'', allowed);
}

void CsvTable::note(std::size_t line, std::string_view column, std::string_view found, std::string_view allowed) {
  errors_.add(fmt::format("{}:{}: {}{}found {}; allowed: {}", errors_.file, line, column, column.empty() ? "" : ": ",
                          found, allowed));
}

}  // namespace lips
