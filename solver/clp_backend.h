// Solves linear programs with CLP of COIN-OR. Only the source file of this header includes Clp.
#pragma once

#include "solver/linear_program.h"

namespace lips::solver {

enum class Algorithm : std::uint8_t { automatic, primal, dual };

struct LpOptions {
  Algorithm algorithm = Algorithm::automatic;
  bool presolve = true;
  std::int64_t max_iterations = -1;  // -1: no limit
  const Basis* start = nullptr;      // basis of a program of the same shape; may change the path, never the optimum
};

// Deterministic: equal programs and options give equal solutions. Prints nothing. Safe to call from several threads at
// once.
LpSolution solve(const LinearProgram& program, const LpOptions& options = {});

}  // namespace lips::solver
