// A comma-separated table with a line of column names. Collects problems, at most 50, each with file, line and column.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/ranges.h"

namespace lips {

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
  void problem(std::size_t row, std::string_view column, std::string_view allowed);

  const std::vector<std::string>& problems() const { return problems_; }
  tl::unexpected<Error> as_error() const;

 private:
  void note(std::size_t line, std::string_view column, std::string_view found, std::string_view allowed);

  const std::string file_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> lines_;
  std::vector<std::string> problems_;
};

}  // namespace lips
