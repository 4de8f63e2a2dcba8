// Our own check of a solution: primal feasibility, and a lower bound from the duals, whatever the solver claims.
#pragma once

#include "solver/linear_program.h"

namespace lips::solver {

struct Certificate {
  double primal_objective = 0;  // c'x of the given x
  double lower_bound = 0;    // valid for every dual vector: weak duality with the columns' bounds; -infinity when none
  double row_violation = 0;  // largest absolute violation of a row by x, divided by max(1, |bound|)
  double column_violation = 0;  // the same for bounds of columns
  double gap = 0;               // (primal_objective - lower_bound) / max(|lower_bound|, tiny)
};

// Sets duals of the wrong sign to 0 first, so every input gives a valid bound (Neumaier and Shcherbina, Math. Program.
// 99, 2004). Where the duals push a column towards an infinite bound, a bound implied by the rows replaces it, if there
// is one. A reduced cost of 0 within rounding (1e-13 of its terms) pushes nowhere.
Certificate certify(const LinearProgram& program, std::span<const double> primal, std::span<const double> row_dual);

}  // namespace lips::solver
