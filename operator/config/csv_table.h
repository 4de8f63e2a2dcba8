// A comma-separated table with a line of column names, as programs and spreadsheets save it: with or without a byte order
// mark, with line ends of any system, quoted cells, empty lines. Collects what is wrong, each with file, line and column.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/file_errors.h"
#include "config/ranges.h"

namespace lips {

// YYYY-MM-DD, and a day of the calendar.
bool is_date(std::string_view text);
// The text without the mark of UTF-8 that spreadsheets put before it.
std::string_view without_byte_order_mark(std::string_view text);

class CsvTable {
 public:
  // `columns`: those that it must have. `file` is named in problems.
  CsvTable(std::string file, std::string_view text, const std::vector<std::string>& columns);

  std::size_t size() const { return rows_.size(); }
  const std::vector<std::string>& columns() const { return names_; }  // all that it has, in order
  std::size_t line(std::size_t row) const { return lines_[row]; }
  // Empty where there is no such column.
  const std::string& text(std::size_t row, std::string_view column) const;
  double number(std::size_t row, std::string_view column, NumberRange range = price_range);
  std::optional<double> optional_number(std::size_t row, std::string_view column);
  // YYYY-MM-DD, or empty where nobody says one.
  const std::string& date(std::size_t row, std::string_view column);
  void problem(std::size_t row, std::string_view column, std::string_view allowed);

  bool is_sound() const { return errors_.messages.empty(); }
  tl::unexpected<Error> as_error() const { return errors_.as_error(); }

 private:
  void note(std::size_t line, std::string_view column, std::string_view found, std::string_view allowed);

  std::vector<std::string> names_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> lines_;
  FileErrors errors_;
};

}  // namespace lips
