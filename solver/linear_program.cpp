#include "solver/linear_program.h"

#include <cmath>

namespace lips::solver {

namespace {

bool reckonable(double value) { return std::abs(value) <= most_magnitude; }  // false for NaN
bool bounds_reckonable(double lower, double upper) {
  return (reckonable(lower) || lower == -infinity) && (reckonable(upper) || upper == infinity);
}

}  // namespace

std::string_view to_string(LpStatus status) {
  switch (status) {
    case LpStatus::optimal:
      return "optimal";
    case LpStatus::infeasible:
      return "infeasible";
    case LpStatus::unbounded:
      return "unbounded";
    case LpStatus::stopped:
      return "stopped";
    case LpStatus::failed:
      return "failed";
    case LpStatus::unsolvable:
      return "unsolvable";
  }
  return "failed";
}

std::optional<std::string> LinearProgram::out_of_range() const {
  const auto says = [](const char* what, std::size_t index, double value) {
    return std::string(what) + " " + std::to_string(index) + " is " + std::to_string(value);
  };
  for (std::size_t row = 0; row < row_lower_.size(); ++row)
    if (!bounds_reckonable(row_lower_[row], row_upper_[row]))
      return says("a bound of row", row, reckonable(row_lower_[row]) ? row_upper_[row] : row_lower_[row]);
  for (std::size_t column = 0; column < cost_.size(); ++column) {
    if (!reckonable(cost_[column])) return says("the cost of column", column, cost_[column]);
    if (!bounds_reckonable(column_lower_[column], column_upper_[column]))
      return says("a bound of column", column,
                  reckonable(column_lower_[column]) ? column_upper_[column] : column_lower_[column]);
    for (auto k = column_start_[column]; k < column_start_[column + 1]; ++k)
      if (!reckonable(value_[static_cast<std::size_t>(k)]))
        return says("a coefficient of column", column, value_[static_cast<std::size_t>(k)]);
  }
  return {};
}

void LinearProgram::reserve(std::int32_t rows, std::int32_t columns, std::int64_t nonzeros) {
  for (auto* of_row : {&row_lower_, &row_upper_}) of_row->reserve(rows);
  for (auto* of_column : {&cost_, &column_lower_, &column_upper_}) of_column->reserve(columns);
  column_start_.reserve(columns + 1);
  row_index_.reserve(nonzeros);
  value_.reserve(nonzeros);
}

RowId LinearProgram::add_row(double lower, double upper) {
  row_lower_.push_back(lower);
  row_upper_.push_back(upper);
  return rows() - 1;
}

ColumnId LinearProgram::add_column(double cost, double lower, double upper, std::span<const Entry> entries) {
  for (const Entry& entry : entries) {
    if (entry.value == 0) continue;
    row_index_.push_back(entry.row.number());
    value_.push_back(entry.value);
  }
  column_start_.push_back(nonzeros());
  cost_.push_back(cost);
  column_lower_.push_back(lower);
  column_upper_.push_back(upper);
  return columns() - 1;
}

void LinearProgram::set_row_bounds(RowId row, double lower, double upper) {
  row_lower_[row.index()] = lower;
  row_upper_[row.index()] = upper;
}

void LinearProgram::set_column_bounds(ColumnId column, double lower, double upper) {
  column_lower_[column.index()] = lower;
  column_upper_[column.index()] = upper;
}

}  // namespace lips::solver
