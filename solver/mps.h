// Linear programs as MPS text, to exchange them with other solvers. Works on strings; touches no files.
#pragma once

#include <string_view>
#include <tl/expected.hpp>

#include "solver/linear_program.h"

namespace lips::solver {

struct MpsProblem {
  LinearProgram program;          // further N rows are kept as rows without bounds
  double objective_constant = 0;  // minus the right-hand side of the objective row
  std::string name;
  std::vector<std::string> row_names, column_names;
};

// Free MPS, 17 significant digits: parsing it gives the same numbers back. Rows are R0.., columns C0.., the objective
// COST.
std::string write_mps(const LinearProgram& program);

// Free or fixed MPS (fixed where names contain spaces). Minimises; integer markers and OBJSENSE MAX are refused.
// The error names the line, what was found and what is allowed.
tl::expected<MpsProblem, std::string> parse_mps(std::string_view text);

}  // namespace lips::solver
