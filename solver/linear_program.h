// A linear program and its solution as values. Knows no solver and no meaning of its rows.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lips::solver {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// No real amount is larger, and a product of two larger numbers would swallow every digit of a small one.
inline constexpr double most_magnitude = 1e15;

// The number of a row or a column of a program. Rows, columns, counts and other indices do not mix. A plain
// std::int32_t converts to either, to write small programs by number.
template <class Tag>
class Position {
 public:
  constexpr Position() = default;
  template <std::same_as<std::int32_t> Number>
  // NOLINTNEXTLINE(google-explicit-constructor): small programs are written by number
  constexpr Position(Number number) : number_(number) {}
  static constexpr Position none() { return Position(); }
  constexpr bool valid() const { return number_ >= 0; }
  constexpr std::int32_t number() const { return number_; }
  constexpr std::size_t index() const { return static_cast<std::size_t>(number_); }
  friend constexpr auto operator<=>(Position, Position) = default;

 private:
  std::int32_t number_ = -1;
};
using RowId = Position<struct RowTag>;
using ColumnId = Position<struct ColumnTag>;

struct Entry {
  RowId row;
  double value;
};

// minimise c'x subject to row_lower <= A x <= row_upper, column_lower <= x <= column_upper.
// A is held by columns (compressed). Columns may be added at any time; a column's rows must exist.
class LinearProgram {
 public:
  void reserve(std::int32_t rows, std::int32_t columns, std::int64_t nonzeros);
  RowId add_row(double lower, double upper);
  // Entries of one column may come in any row order; a row may appear once. Zero values are dropped.
  ColumnId add_column(double cost, double lower, double upper, std::span<const Entry> entries);

  std::int32_t rows() const { return static_cast<std::int32_t>(row_lower_.size()); }
  std::int32_t columns() const { return static_cast<std::int32_t>(cost_.size()); }
  std::int64_t nonzeros() const { return static_cast<std::int64_t>(value_.size()); }

  const std::vector<double>& cost() const { return cost_; }
  const std::vector<double>& row_lower() const { return row_lower_; }
  const std::vector<double>& row_upper() const { return row_upper_; }
  const std::vector<double>& column_lower() const { return column_lower_; }
  const std::vector<double>& column_upper() const { return column_upper_; }
  const std::vector<std::int64_t>& column_start() const { return column_start_; }  // columns() + 1 long
  const std::vector<std::int32_t>& row_index() const { return row_index_; }
  const std::vector<double>& value() const { return value_; }

  // A sentence about the first number that no solver can handle: a cost, coefficient or finite bound beyond
  // most_magnitude, NaN, an infinite cost or coefficient, or a lower bound of infinity. None: all are fine.
  std::optional<std::string> out_of_range() const;

  void set_cost(ColumnId column, double cost) { cost_[column.index()] = cost; }
  void set_row_bounds(RowId row, double lower, double upper);
  void set_column_bounds(ColumnId column, double lower, double upper);

 private:
  std::vector<double> cost_, column_lower_, column_upper_, row_lower_, row_upper_;
  std::vector<std::int64_t> column_start_{0};
  std::vector<std::int32_t> row_index_;
  std::vector<double> value_;
};

enum class LpStatus : std::uint8_t {
  optimal,     // primal and dual are optimal within the solver's tolerances; certify() says how near
  infeasible,  // no x satisfies all rows and bounds
  unbounded,   // the cost has no lower limit
  stopped,     // reached the limit of iterations; the vectors are the last ones and may violate rows
  failed,      // the solver gave up; the vectors are 0
  unsolvable   // a number is not finite or too large, so the solver did not run (out_of_range() names it)
};
std::string_view to_string(LpStatus status);

// Where a variable stands in a basis.
enum class VariableStatus : std::uint8_t {
  free,         // not in the basis, at 0, and without bounds
  basic,        // its value follows from the others
  at_upper,     // not in the basis, at its upper bound
  at_lower,     // not in the basis, at its lower bound
  super_basic,  // not in the basis, between its bounds
  fixed         // not in the basis, and its bounds are equal
};

// Where each variable stands at the end: a start for the next program of the same shape.
struct Basis {
  std::vector<VariableStatus> column, row;
};

struct LpSolution {
  LpStatus status = LpStatus::failed;
  std::vector<double> primal;    // one a column
  std::vector<double> row_dual;  // one a row: d objective / d right-hand side
  double objective = 0;
  std::int64_t iterations = 0;
  Basis basis;
};

}  // namespace lips::solver
