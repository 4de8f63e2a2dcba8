#include "solver/linear_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "solver/certificate.h"
#include "solver/clp_backend.h"
#include "tests/solver/random_programs.h"

namespace lips::solver {
namespace {

// maximise 5x + 4y + 3z, Chvatal's first example: optimum 13 at (2, 0, 1).
LinearProgram chvatal() {
  LinearProgram program;
  program.add_row(-infinity, 5);
  program.add_row(-infinity, 11);
  program.add_row(-infinity, 8);
  program.add_column(-5, 0, infinity, std::vector<Entry>{{0, 2}, {1, 4}, {2, 3}});
  program.add_column(-4, 0, infinity, std::vector<Entry>{{0, 3}, {1, 1}, {2, 4}});
  program.add_column(-3, 0, infinity, std::vector<Entry>{{0, 1}, {1, 2}, {2, 2}});
  return program;
}

// Two plants, three markets (Dantzig): 350 and 600 cases to 325, 300 and 275; optimum 153.675.
LinearProgram dantzig_transport() {
  LinearProgram program;
  for (double supply : {350, 600}) program.add_row(-infinity, supply);
  for (double demand : {325, 300, 275}) program.add_row(demand, infinity);
  const double distance[2][3] = {{2.5, 1.7, 1.8}, {2.5, 1.8, 1.4}};
  for (int plant = 0; plant < 2; ++plant)
    for (int market = 0; market < 3; ++market)
      program.add_column(90 * distance[plant][market] / 1000, 0, infinity,
                         std::vector<Entry>{{plant, 1}, {2 + market, 1}});
  return program;
}

// Beale's example, on which a careless primal simplex cycles: optimum -0.05.
LinearProgram beale() {
  LinearProgram program;
  program.add_row(-infinity, 0);
  program.add_row(-infinity, 0);
  program.add_row(-infinity, 1);
  program.add_column(-0.75, 0, infinity, std::vector<Entry>{{0, 0.25}, {1, 0.5}});
  program.add_column(150, 0, infinity, std::vector<Entry>{{0, -60}, {1, -90}});
  program.add_column(-0.02, 0, infinity, std::vector<Entry>{{0, -0.04}, {1, -0.02}, {2, 1}});
  program.add_column(6, 0, infinity, std::vector<Entry>{{0, 9}, {1, 3}});
  return program;
}

struct Known {
  const char* name;
  LinearProgram program;
  double optimum;
};

std::vector<Known> known_programs() {
  return {{"chvatal", chvatal(), -13}, {"dantzig", dantzig_transport(), 153.675}, {"beale", beale(), -0.05}};
}

std::vector<LpOptions> every_way() {
  std::vector<LpOptions> ways;
  for (const auto algorithm : {Algorithm::automatic, Algorithm::primal, Algorithm::dual})
    for (const bool presolve : {false, true}) {
      LpOptions options;
      options.algorithm = algorithm;
      options.presolve = presolve;
      ways.push_back(options);
    }
  return ways;
}

TEST(ClpBackend, FindsTheKnownOptimaEveryWay) {
  for (const Known& known : known_programs())
    for (const LpOptions& options : every_way()) {
      const LpSolution solution = solve(known.program, options);
      ASSERT_EQ(solution.status, LpStatus::optimal) << known.name;
      EXPECT_NEAR(solution.objective, known.optimum, 1e-9 * std::max(1.0, std::abs(known.optimum))) << known.name;
      const Certificate certificate = certify(known.program, solution.primal, solution.row_dual);
      EXPECT_LE(certificate.row_violation, 1e-9) << known.name;
      EXPECT_LE(std::abs(certificate.gap), 1e-9) << known.name;
    }
}

TEST(ClpBackend, RowDualIsTheChangeOfTheObjectiveByTheRightHandSide) {
  for (const Known& known : known_programs()) {
    const LpSolution before = solve(known.program);
    for (int row = 0; row < known.program.rows(); ++row) {
      LinearProgram moved = known.program;
      const double step = 1e-4, lower = moved.row_lower()[row], upper = moved.row_upper()[row];
      moved.set_row_bounds(row, lower + step, upper + step);
      const double right = (solve(moved).objective - before.objective) / step;
      moved.set_row_bounds(row, lower - step, upper - step);
      const LpSolution less = solve(moved);
      if (less.status != LpStatus::optimal) continue;
      const double left = (before.objective - less.objective) / step;
      EXPECT_GE(before.row_dual[row], std::min(left, right) - 1e-6) << known.name << " row " << row;
      EXPECT_LE(before.row_dual[row], std::max(left, right) + 1e-6) << known.name << " row " << row;
    }
  }
}

TEST(ClpBackend, SaysInfeasible) {
  LinearProgram program;
  program.add_row(3, infinity);
  program.add_row(-infinity, 1);
  program.add_column(1, 0, infinity, std::vector<Entry>{{0, 1}, {1, 1}});
  program.add_column(1, 0, 1, std::vector<Entry>{{0, 1}, {1, -0.5}});
  for (const LpOptions& options : every_way()) EXPECT_EQ(solve(program, options).status, LpStatus::infeasible);
}

TEST(ClpBackend, SaysUnbounded) {
  LinearProgram program;
  program.add_row(-infinity, 1);
  program.add_column(-1, 0, infinity, std::vector<Entry>{{0, 1}});
  program.add_column(-1, 0, infinity, std::vector<Entry>{{0, -1}});
  for (const LpOptions& options : every_way()) EXPECT_EQ(solve(program, options).status, LpStatus::unbounded);
}

TEST(ClpBackend, CrossedBoundsAreInfeasible) {
  LinearProgram program = chvatal();
  program.set_column_bounds(0, 2, 1);
  EXPECT_EQ(solve(program).status, LpStatus::infeasible);
  program = chvatal();
  program.set_row_bounds(0, 2, 1);
  EXPECT_EQ(solve(program).status, LpStatus::infeasible);
}

TEST(ClpBackend, SolvesProgramsWithoutRowsOrColumns) {
  LinearProgram program;
  EXPECT_EQ(solve(program).status, LpStatus::optimal);
  program.add_column(2, -3, 5, {});
  program.add_column(-2, 0, 4, {});
  const LpSolution solution = solve(program);
  EXPECT_EQ(solution.status, LpStatus::optimal);
  EXPECT_EQ(solution.objective, -14);
  program.add_row(1, 2);
  EXPECT_EQ(solve(program).status, LpStatus::infeasible);
  program.set_row_bounds(0, -1, 2);
  program.set_column_bounds(1, 0, infinity);
  EXPECT_EQ(solve(program).status, LpStatus::unbounded);
}

TEST(ClpBackend, StopsAtTheIterationLimit) {
  const LinearProgram program = random_program(1, 60, 120);
  LpOptions options;
  options.presolve = false;
  options.max_iterations = 3;
  EXPECT_EQ(solve(program, options).status, LpStatus::stopped);
}

TEST(ClpBackend, StartsFromABasisWithoutChangingTheOptimum) {
  for (int seed = 0; seed < 20; ++seed) {
    LinearProgram program = random_program(seed, 40, 90);
    const LpSolution first = solve(program);
    ASSERT_EQ(first.status, LpStatus::optimal);
    LpOptions warm;
    warm.start = &first.basis;
    EXPECT_LE(solve(program, warm).iterations, 2);
    for (int j = 0; j < program.columns(); j += 7) program.set_cost(j, program.cost()[j] + 0.05);
    const LpSolution again = solve(program, warm), cold = solve(program);
    ASSERT_EQ(again.status, LpStatus::optimal);
    EXPECT_NEAR(again.objective, cold.objective, 1e-8 * std::abs(cold.objective)) << "seed " << seed;
  }
}

TEST(ClpBackend, GivesEqualAnswersInEveryThread) {
  std::vector<LpSolution> alone, together(16);
  for (int seed = 0; seed < 16; ++seed) alone.push_back(solve(random_program(seed, 30, 60)));
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 16; ++seed)
    threads.emplace_back([&together, seed] { together[seed] = solve(random_program(seed, 30, 60)); });
  for (auto& thread : threads) thread.join();
  for (int seed = 0; seed < 16; ++seed) {
    EXPECT_EQ(together[seed].primal, alone[seed].primal) << "seed " << seed;
    EXPECT_EQ(together[seed].row_dual, alone[seed].row_dual) << "seed " << seed;
  }
}

TEST(ClpBackend, PrintsNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  for (const LpOptions& options : every_way()) solve(random_program(3, 40, 500), options);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// Finite numbers beyond the range are refused before the solver's assertions see them; within it nothing ends the
// process.
TEST(ClpBackend, RefusesNumbersThatItCannotReckonWith) {
  const auto program = [](double cost, double upper, double value, double side) {
    LinearProgram made;
    const Entry entry{made.add_row(-infinity, side), value};
    made.add_column(cost, 0, upper, {&entry, 1});
    return made;
  };
  EXPECT_EQ(solve(program(-1, 5, 1, 3)).status, LpStatus::optimal);
  EXPECT_FALSE(program(-1, infinity, 1, infinity).out_of_range());
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  for (const double wrong : {1e300, -1e300, none}) {
    EXPECT_EQ(solve(program(wrong, 5, 1, 3)).status, LpStatus::unsolvable) << wrong;
    EXPECT_EQ(solve(program(-1, wrong, 1, 3)).status, LpStatus::unsolvable) << wrong;
    EXPECT_EQ(solve(program(-1, 5, wrong, 3)).status, LpStatus::unsolvable) << wrong;
    EXPECT_EQ(solve(program(-1, 5, 1, wrong)).status, LpStatus::unsolvable) << wrong;
  }
  EXPECT_EQ(solve(program(infinity, 5, 1, 3)).status, LpStatus::unsolvable);
  EXPECT_EQ(solve(program(-1, 5, infinity, 3)).status, LpStatus::unsolvable);
  EXPECT_THAT(*program(-1, 5, 1e300, 3).out_of_range(), ::testing::HasSubstr("a coefficient of column 0"));
}

TEST(ClpBackend, EndsWithAStatusWhateverTheMagnitudes) {
  std::mt19937_64 random(11);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1.0p-53);
  };
  const auto below = [&](std::uint64_t count) { return random() % count; };
  int optimal = 0;
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const double widest = uniform(0, std::log10(most_magnitude));
    const auto draw = [&] {
      const double size = std::pow(10.0, uniform(-widest, widest));
      return below(2) == 0 ? size : -size;
    };
    LinearProgram program;
    const std::int32_t rows = 1 + static_cast<std::int32_t>(below(6));
    for (std::int32_t row = 0; row < rows; ++row) {
      const double side = std::abs(draw());
      program.add_row(below(3) == 0 ? side : -infinity, below(3) == 0 ? infinity : side);
    }
    for (std::uint64_t column = 1 + below(10); column > 0; --column) {
      std::vector<Entry> entries;
      for (std::int32_t row = 0; row < rows; ++row)
        if (below(2) == 0) entries.push_back({row, draw()});
      program.add_column(draw(), 0, below(2) == 0 ? infinity : std::abs(draw()), entries);
    }
    const LpSolution solution = solve(program);
    optimal += solution.status == LpStatus::optimal;
    EXPECT_NE(solution.status, LpStatus::unsolvable);
  }
  EXPECT_GT(optimal, 300);
}

}  // namespace
}  // namespace lips::solver
