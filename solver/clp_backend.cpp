#include "solver/clp_backend.h"

#include <ClpPresolve.hpp>
#include <ClpSimplex.hpp>
#include <CoinError.hpp>
#include <algorithm>
#include <climits>
#include <cmath>
#include <memory>

#include "solver/certificate.h"

namespace lips::solver {
namespace {

// Measured (docs/solver.md): the dual simplex wins 4-15 times on zone forms (up to 14 columns a row), the primal up to
// twice on large class forms (beyond 40).
constexpr double columns_a_row_for_primal = 40;

// With the default of CLP, 1e-7, an 'optimum' can lie visibly below the true one.
constexpr double feasibility_tolerance = 1e-9;

std::vector<double> clp_bounds(const std::vector<double>& bounds) {
  std::vector<double> result(bounds.size());
  std::transform(bounds.begin(), bounds.end(), result.begin(),
                 [](double bound) { return std::clamp(bound, -COIN_DBL_MAX, COIN_DBL_MAX); });
  return result;
}

void load(ClpSimplex& model, const LinearProgram& program) {
  const std::vector<CoinBigIndex> start(program.column_start().begin(), program.column_start().end());
  const auto column_lower = clp_bounds(program.column_lower()), column_upper = clp_bounds(program.column_upper());
  const auto row_lower = clp_bounds(program.row_lower()), row_upper = clp_bounds(program.row_upper());
  model.loadProblem(program.columns(), program.rows(), start.data(), program.row_index().data(), program.value().data(),
                    column_lower.data(), column_upper.data(), program.cost().data(), row_lower.data(),
                    row_upper.data());
}

ClpSimplex::Status to_clp(VariableStatus status) {
  switch (status) {
    case VariableStatus::free:
      return ClpSimplex::isFree;
    case VariableStatus::basic:
      return ClpSimplex::basic;
    case VariableStatus::at_upper:
      return ClpSimplex::atUpperBound;
    case VariableStatus::at_lower:
      return ClpSimplex::atLowerBound;
    case VariableStatus::super_basic:
      return ClpSimplex::superBasic;
    case VariableStatus::fixed:
      return ClpSimplex::isFixed;
  }
  return ClpSimplex::superBasic;
}

VariableStatus from_clp(ClpSimplex::Status status) {
  switch (status) {
    case ClpSimplex::isFree:
      return VariableStatus::free;
    case ClpSimplex::basic:
      return VariableStatus::basic;
    case ClpSimplex::atUpperBound:
      return VariableStatus::at_upper;
    case ClpSimplex::atLowerBound:
      return VariableStatus::at_lower;
    case ClpSimplex::superBasic:
      return VariableStatus::super_basic;
    case ClpSimplex::isFixed:
      return VariableStatus::fixed;
  }
  return VariableStatus::super_basic;
}

bool set_start(ClpSimplex& model, const Basis& basis) {
  if (std::ssize(basis.column) != model.numberColumns() || std::ssize(basis.row) != model.numberRows()) return false;
  model.createStatus();
  for (int j = 0; j < model.numberColumns(); ++j) model.setColumnStatus(j, to_clp(basis.column[j]));
  for (int i = 0; i < model.numberRows(); ++i) model.setRowStatus(i, to_clp(basis.row[i]));
  return true;
}

void run(ClpSimplex& model, Algorithm algorithm) {
  if (algorithm == Algorithm::dual)
    model.dual();
  else
    model.primal();
  // Only the first phase of the primal simplex is trusted to find that there is no optimum.
  if (model.problemStatus() != 0 && model.problemStatus() != 3) {
    const int spent = model.numberIterations();
    model.primal();
    model.setNumberIterations(model.numberIterations() + spent);
  }
}

// Solves the presolved model, maps the solution back, and polishes it by a few primal iterations on the whole model.
// False when presolve finds that there is no optimum; solving the whole model then tells which kind.
bool run_presolved(ClpSimplex& model, Algorithm algorithm) {
  ClpPresolve presolve;
  presolve.setDoImpliedFree(false);  // CoinUtils 2.11 leaks memory there, some KiB a solve
  const std::unique_ptr<ClpSimplex> small(presolve.presolvedModel(model, feasibility_tolerance, false, 5));
  if (!small) return false;
  small->setLogLevel(0);
  run(*small, algorithm);
  if (small->problemStatus() == 1 || small->problemStatus() == 2) return false;
  presolve.postsolve(true);
  const int spent = small->numberIterations();
  model.setNumberIterations(spent);
  if (small->problemStatus() == 3) {
    model.setProblemStatus(3);
    return true;
  }
  model.checkSolution();
  if (model.primalFeasible() && model.dualFeasible()) {
    model.setProblemStatus(0);
    return true;
  }
  model.primal(1);
  model.setNumberIterations(model.numberIterations() + spent);
  return true;
}

LpStatus status_of(const ClpSimplex& model) {
  switch (model.problemStatus()) {
    case 0:
      return LpStatus::optimal;
    case 1:
      return LpStatus::infeasible;
    case 2:
      return LpStatus::unbounded;
    case 3:
      return LpStatus::stopped;
    default:
      return LpStatus::failed;
  }
}

LpSolution solution_of(const ClpSimplex& model, const LinearProgram& program) {
  LpSolution solution;
  solution.status = status_of(model);
  solution.iterations = model.numberIterations();
  const double* primal = model.primalColumnSolution();
  const double* dual = model.dualRowSolution();
  solution.primal.assign(primal, primal + program.columns());
  solution.row_dual.assign(dual, dual + program.rows());
  for (int j = 0; j < program.columns(); ++j) {  // no value may leave its bounds, even by the tolerance
    solution.primal[j] = std::min(std::max(solution.primal[j], program.column_lower()[j]), program.column_upper()[j]);
    solution.objective += program.cost()[j] * solution.primal[j];
  }
  solution.basis.column.resize(program.columns());
  solution.basis.row.resize(program.rows());
  for (int j = 0; j < program.columns(); ++j) solution.basis.column[j] = from_clp(model.getColumnStatus(j));
  for (int i = 0; i < program.rows(); ++i) solution.basis.row[i] = from_clp(model.getRowStatus(i));
  return solution;
}

bool crossed(const std::vector<double>& lower, const std::vector<double>& upper) {
  for (std::size_t i = 0; i < lower.size(); ++i)
    if (lower[i] > upper[i]) return true;
  return false;
}

LpSolution with_status(LpStatus status, const LinearProgram& program) {
  LpSolution solution;
  solution.status = status;
  solution.primal.assign(program.columns(), 0);
  solution.row_dual.assign(program.rows(), 0);
  return solution;
}

// Solves programs without rows or columns without CLP: each column goes to the bound that its cost prefers.
LpSolution solve_without_matrix(const LinearProgram& program) {
  for (int i = 0; i < program.rows(); ++i)
    if (program.row_lower()[i] > 0 || program.row_upper()[i] < 0) return with_status(LpStatus::infeasible, program);
  LpSolution solution = with_status(LpStatus::optimal, program);
  solution.basis.row.assign(program.rows(), VariableStatus::basic);
  solution.basis.column.assign(program.columns(), VariableStatus::at_lower);
  for (int j = 0; j < program.columns(); ++j) {
    const double cost = program.cost()[j], lower = program.column_lower()[j], upper = program.column_upper()[j];
    const double wanted = cost > 0 ? lower : cost < 0 ? upper : std::clamp(0.0, lower, upper);
    if (wanted == infinity || wanted == -infinity) return with_status(LpStatus::unbounded, program);
    solution.primal[j] = wanted;
    solution.objective += cost * wanted;
    if (wanted == upper) solution.basis.column[j] = VariableStatus::at_upper;
  }
  return solution;
}

Algorithm chosen(const LinearProgram& program, const LpOptions& options, bool warm) {
  if (options.algorithm != Algorithm::automatic) return options.algorithm;
  if (warm) return Algorithm::dual;
  return program.columns() > columns_a_row_for_primal * program.rows() ? Algorithm::primal : Algorithm::dual;
}

LpSolution solve_by_clp(const LinearProgram& program, const LpOptions& options) {
  ClpSimplex model;
  model.setLogLevel(0);
  model.messageHandler()->setLogLevel(0);
  model.setPrimalTolerance(feasibility_tolerance);
  model.setDualTolerance(feasibility_tolerance);
  model.setPerturbation(50);
  load(model, program);
  if (options.max_iterations >= 0)
    model.setMaximumIterations(static_cast<int>(std::min<std::int64_t>(options.max_iterations, INT_MAX)));
  const bool warm = options.start != nullptr && set_start(model, *options.start);
  const Algorithm algorithm = chosen(program, options, warm);
  // A basis of the whole program is worth more than a smaller program.
  const bool presolved = options.presolve && !warm && run_presolved(model, algorithm);
  if (!presolved) run(model, algorithm);
  return solution_of(model, program);
}

double certified_gap(const LinearProgram& program, const LpSolution& solution) {
  const Certificate certificate = certify(program, solution.primal, solution.row_dual);
  return (certificate.primal_objective - certificate.lower_bound) / std::max(1e-9, std::abs(certificate.lower_bound));
}

// Tolerances of CLP are absolute, and prices may be small beside them. When our certificate rejects the last basis,
// solves again from it with larger prices and the other algorithm, and keeps the better solution.
LpSolution repaired(const LinearProgram& program, const LpOptions& options, LpSolution first) {
  constexpr double scale = 0x1.0p20, good = 1e-7;
  const double gap = certified_gap(program, first);
  if (!(gap > good) || gap == infinity) return first;
  LinearProgram scaled = program;
  for (std::int32_t j = 0; j < program.columns(); ++j) scaled.set_cost(j, scale * program.cost()[j]);
  LpOptions again = options;
  again.algorithm = options.algorithm == Algorithm::dual ? Algorithm::primal : Algorithm::dual;
  again.start = &first.basis;
  LpSolution second = solve_by_clp(scaled, again);
  if (second.status != LpStatus::optimal) return first;
  second.objective /= scale;
  for (double& dual : second.row_dual) dual /= scale;
  second.iterations += first.iterations;
  return certified_gap(program, second) < gap ? second : first;
}

}  // namespace

LpSolution solve(const LinearProgram& program, const LpOptions& options) {
  if (program.out_of_range())
    return with_status(LpStatus::unsolvable, program);  // an assertion in CLP would end the process
  if (crossed(program.column_lower(), program.column_upper()) || crossed(program.row_lower(), program.row_upper()))
    return with_status(LpStatus::infeasible, program);
  if (program.nonzeros() == 0) return solve_without_matrix(program);
  try {
    LpSolution solution = solve_by_clp(program, options);
    return solution.status == LpStatus::optimal ? repaired(program, options, std::move(solution)) : solution;
  } catch (const CoinError&) {
    return with_status(LpStatus::failed, program);
  }
}

}  // namespace lips::solver
