#include "config/csv_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "config/quantities.h"

namespace lips {

namespace {

struct Row {
  std::size_t line;
  std::vector<std::string> cells{1};
};

// The rows of a table as RFC 4180 describes them. Rows of which all cells are empty are left out.
class Rows {
 public:
  explicit Rows(std::string_view text) : text_(without_byte_order_mark(text)) {}

  std::optional<Row> next() {
    while (at_ < text_.size()) {
      Row row = read();
      if (std::any_of(row.cells.begin(), row.cells.end(), [](const std::string& cell) { return cell.find_first_not_of(" \t") != std::string::npos; }))
        return row;
    }
    return std::nullopt;
  }
  // The line of a quote without an end; 0: there is none.
  std::size_t open_quote() const { return open_quote_; }

 private:
  Row read() {
    Row row{line_};
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"' && row.cells.back().empty()) {
        quoted(row.cells.back());
      } else if (c == ',') {
        row.cells.emplace_back();
      } else if (c == '\n' || c == '\r') {
        if (c == '\r' && at_ < text_.size() && text_[at_] == '\n') ++at_;
        ++line_;
        break;
      } else {
        row.cells.back() += c;
      }
    }
    return row;
  }
  void quoted(std::string& cell) {
    const std::size_t begin = line_;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"' && !(at_ < text_.size() && text_[at_] == '"')) return;
      if (c == '"') ++at_;
      line_ += c == '\n';
      cell += c;
    }
    open_quote_ = begin;
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1, open_quote_ = 0;
};

// The mark that a spreadsheet has put between columns instead of commas; empty: none.
std::string_view other_separator(const std::vector<std::string>& names) {
  if (names.size() != 1) return "";
  if (names[0].find(';') != std::string::npos) return "semicolons";
  return names[0].find('\t') != std::string::npos ? "tabs" : "";
}

bool is_utf16(std::string_view text) { return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"); }

}  // namespace

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto number = [&](std::size_t at, std::size_t count) {
    int value = 0;
    for (const char c : text.substr(at, count)) value = c < '0' || c > '9' || value < 0 ? -1 : value * 10 + (c - '0');
    return value;
  };
  const int year = number(0, 4), month = number(5, 2), day = number(8, 2);
  if (year < 0 || month < 0 || day < 0) return false;
  return std::chrono::year_month_day{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day))}
      .ok();
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  return text.substr(text.starts_with(mark) ? mark.size() : 0);
}

CsvTable::CsvTable(std::string file, std::string_view text, const std::vector<std::string>& columns)
    : errors_{std::move(file)} {
  if (is_utf16(text)) {
    note(1, "", "UTF-16", "UTF-8, which spreadsheets call CSV UTF-8");
    return;
  }
  Rows rows(text);
  while (std::optional<Row> row = rows.next()) {
    if (names_.empty()) {
      names_ = std::move(row->cells);
      continue;
    }
    if (row->cells.size() != names_.size())
      note(row->line, "", fmt::format("{} columns", row->cells.size()), fmt::format("{}", names_.size()));
    row->cells.resize(names_.size());
    rows_.push_back(std::move(row->cells));
    lines_.push_back(row->line);
  }
  if (rows.open_quote() > 0) note(rows.open_quote(), "", "a quote without an end", "\" at both ends of a cell");
  if (const std::string_view other = columns.size() > 1 ? other_separator(names_) : ""; !other.empty()) {
    note(1, "", fmt::format("columns between {}", other), "between commas, with decimal points");
    return;
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

const std::string& CsvTable::date(std::size_t row, std::string_view column) {
  const std::string& cell = text(row, column);
  if (!cell.empty() && !is_date(cell)) problem(row, column, "a date as YYYY-MM-DD, such as 2026-01-31");
  return cell;
}

void CsvTable::problem(std::size_t row, std::string_view column, std::string_view allowed) {
  note(lines_[row], column, '\'' + text(row, column) + '\'', allowed);
}

void CsvTable::note(std::size_t line, std::string_view column, std::string_view found, std::string_view allowed) {
  errors_.add(fmt::format("{}:{}: {}{}found {}; allowed: {}", errors_.file, line, column, column.empty() ? "" : ": ",
                          found, allowed));
}

}  // namespace lips
