// The default planner's programs of random snapshots by CLP and by glpsol: the largest relative difference of their
// optima (bar 1e-6) and the ratio of their times, glpsol's with its start and its reading. bench_glpk_agreement
// [SNAPSHOTS]
#include "tests/policies/lips/glpk_agreement.h"

#include <fmt/core.h>

#include <algorithm>

int main(int argc, char** argv) {
  using namespace lips;
  if (!testing::glpsol_is_here()) {
    fmt::print("glpsol is not installed: nothing to compare with\n");
    return 0;
  }
  const std::uint64_t snapshots = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 300;
  const testing::TemporaryFolder folder;
  double worst = 0, clp = 0, glpk = 0;
  std::uint64_t compared = 0, without = 0, failed = 0, worst_seed = 0, seed = 0;
  while (compared + failed < snapshots) {
    const solver::LinearProgram program = testing::random_program(++seed);
    if (program.rows() == 0) {
      ++without;
      continue;
    }
    const auto agreement = testing::compare(program, folder.path);
    if (!agreement) {
      fmt::print("seed {}: one of the solvers gives no optimum\n", seed);
      ++failed;
      continue;
    }
    ++compared;
    clp += agreement->clp_seconds;
    glpk += agreement->glpk_seconds;
    if (agreement->difference() > 1e-6) fmt::print("seed {}: {} {}\n", seed, agreement->clp, agreement->glpk);
    if (agreement->difference() > worst) worst = agreement->difference(), worst_seed = seed;
  }
  fmt::print("{} programs compared, {} without an optimum by one solver, {} snapshots without a program\n", compared,
             failed, without);
  fmt::print("largest relative difference {:.3g} (seed {}), bar 1e-6\n", worst, worst_seed);
  fmt::print("CLP {:.3f} s, glpsol {:.3f} s: {:.1f} times\n", clp, glpk, glpk / std::max(1e-9, clp));
  return worst <= 1e-6 && failed == 0 ? 0 : 1;
}
