#include "solver/certificate.h"

#include <gtest/gtest.h>

#include "solver/clp_backend.h"
#include "tests/solver/random_programs.h"

namespace lips::solver {
namespace {

TEST(Certificate, BoundOfAnyDualsIsBelowTheOptimum) {
  for (int seed = 0; seed < 200; ++seed) {
    const LinearProgram program = random_program(seed, 12, 30);
    const LpSolution solution = solve(program);
    ASSERT_EQ(solution.status, LpStatus::optimal) << "seed " << seed;
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> noise(-2, 2);
    for (int trial = 0; trial < 5; ++trial) {
      std::vector<double> dual = solution.row_dual;
      for (double& value : dual) value += trial == 0 ? noise(random) * 1e-6 : noise(random);
      const Certificate certificate = certify(program, solution.primal, dual);
      EXPECT_LE(certificate.lower_bound, solution.objective + 1e-7 * std::max(1.0, std::abs(solution.objective)))
          << "seed " << seed;
    }
  }
}

TEST(Certificate, ClosesTheGapAtTheOptimum) {
  for (int seed = 0; seed < 200; ++seed) {
    const LinearProgram program = random_program(seed, 12, 30);
    const LpSolution solution = solve(program);
    const Certificate certificate = certify(program, solution.primal, solution.row_dual);
    EXPECT_NEAR(certificate.lower_bound, solution.objective, 1e-8 * std::max(1.0, std::abs(solution.objective)))
        << "seed " << seed;
    EXPECT_LE(certificate.row_violation, 1e-8) << "seed " << seed;
  }
}

TEST(Certificate, DualsOfTheWrongSignCountAsZero) {
  LinearProgram program;  // minimise x, x >= 2 by a row
  program.add_row(2, infinity);
  program.add_column(1, 0, 10, std::vector<Entry>{{0, 1}});
  const std::vector<double> x{2}, wrong{-1}, right{1}, broken{std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(certify(program, x, wrong).lower_bound, 0);
  EXPECT_EQ(certify(program, x, right).lower_bound, 2);
  EXPECT_EQ(certify(program, x, broken).lower_bound, 0);
}

TEST(Certificate, UsesTheUpperBoundOfAColumnOfNegativeReducedCost) {
  LinearProgram program;  // minimise -x, x <= 3 by its bound
  program.add_row(-infinity, 100);
  program.add_column(-1, 0, 3, std::vector<Entry>{{0, 1}});
  const std::vector<double> x{3}, zero{0};
  EXPECT_EQ(certify(program, x, zero).lower_bound, -3);
  program.set_column_bounds(0, 0, infinity);  // now the row says x <= 100
  EXPECT_NEAR(certify(program, x, zero).lower_bound, -100, 1e-5);
  program.set_row_bounds(0, -infinity, infinity);
  EXPECT_EQ(certify(program, x, zero).lower_bound, -infinity);
}

TEST(Certificate, SeesViolations) {
  LinearProgram program;
  program.add_row(2, 4);
  program.add_column(1, 0, 3, std::vector<Entry>{{0, 1}});
  const std::vector<double> zero{0}, low{1}, high{5};
  EXPECT_EQ(certify(program, low, zero).row_violation, 0.5);
  EXPECT_EQ(certify(program, high, zero).row_violation, 0.25);
  EXPECT_NEAR(certify(program, high, zero).column_violation, 2.0 / 3, 1e-15);
}

}  // namespace
}  // namespace lips::solver
