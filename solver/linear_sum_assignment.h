// The dense linear sum assignment problem, rectangular, on doubles or integers. Knows no meaning of rows and columns.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace lips::solver {

// The cost of a pair that may not be assigned: +infinity for doubles, this for integers. Other integers stay below 2^48
// in size.
inline constexpr std::int64_t forbidden_pair = std::int64_t{1} << 56;

template <class Cost>
struct AssignmentSolution {
  bool feasible = false;  // whether min(rows, columns) allowed pairs exist
  Cost cost = 0;
  std::vector<std::int32_t> column_of_row;  // -1: this row is left over
  std::vector<Cost> row_dual, column_dual;  // row_dual + column_dual <= cost everywhere, equal on assigned pairs;
                                            // 0 on what is left over, <= 0 on that side elsewhere
};

// Assigns min(rows, columns) pairs at least total cost; cost[row * columns + column]. Shortest augmenting paths after
// the initialisation of Jonker and Volgenant (Computing 38, 1987). Deterministic.
AssignmentSolution<double> solve_assignment(std::span<const double> cost, std::int32_t rows, std::int32_t columns);
AssignmentSolution<std::int64_t> solve_assignment(std::span<const std::int64_t> cost, std::int32_t rows,
                                                  std::int32_t columns);

}  // namespace lips::solver
