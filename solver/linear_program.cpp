#include "solver/linear_program.h"

namespace lips::solver {

void LinearProgram::reserve(std::int32_t rows, std::int32_t columns, std::int64_t nonzeros) {
  for (auto* of_row : {&row_lower_, &row_upper_}) of_row->reserve(rows);
  for (auto* of_column : {&cost_, &column_lower_, &column_upper_}) of_column->reserve(columns);
  column_start_.reserve(columns + 1);
  row_index_.reserve(nonzeros);
  value_.reserve(nonzeros);
}

std::int32_t LinearProgram::add_row(double lower, double upper) {
  row_lower_.push_back(lower);
  row_upper_.push_back(upper);
  return rows() - 1;
}

std::int32_t LinearProgram::add_column(double cost, double lower, double upper, std::span<const Entry> entries) {
  for (const Entry& entry : entries) {
    if (entry.value == 0) continue;
    row_index_.push_back(entry.row);
    value_.push_back(entry.value);
  }
  column_start_.push_back(nonzeros());
  cost_.push_back(cost);
  column_lower_.push_back(lower);
  column_upper_.push_back(upper);
  return columns() - 1;
}

void LinearProgram::set_row_bounds(std::int32_t row, double lower, double upper) {
  row_lower_[row] = lower;
  row_upper_[row] = upper;
}

void LinearProgram::set_column_bounds(std::int32_t column, double lower, double upper) {
  column_lower_[column] = lower;
  column_upper_[column] = upper;
}

}  // namespace lips::solver
