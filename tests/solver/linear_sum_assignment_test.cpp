#include "solver/linear_sum_assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <sstream>

#include "tests/solver/data_files.h"

namespace lips::solver {
namespace {

// Feasible duals whose sum is the cost: proof of optimality without another solver.
template <class Cost>
void expect_optimal(const std::vector<Cost>& cost, int rows, int columns, Cost tolerance) {
  const auto solution = solve_assignment(std::span<const Cost>(cost), rows, columns);
  ASSERT_TRUE(solution.feasible);
  std::vector<bool> taken(columns, false);
  Cost total = 0;
  int assigned = 0;
  for (int i = 0; i < rows; ++i) {
    const int j = solution.column_of_row[i];
    if (j < 0) {
      EXPECT_EQ(solution.row_dual[i], 0);
      continue;
    }
    ASSERT_FALSE(taken[j]);
    taken[j] = true;
    ++assigned;
    total += cost[i * columns + j];
  }
  EXPECT_EQ(assigned, std::min(rows, columns));
  EXPECT_NEAR(static_cast<double>(total), static_cast<double>(solution.cost), static_cast<double>(tolerance));
  Cost dual = std::accumulate(solution.row_dual.begin(), solution.row_dual.end(), Cost{0});
  dual = std::accumulate(solution.column_dual.begin(), solution.column_dual.end(), dual);
  EXPECT_NEAR(static_cast<double>(dual), static_cast<double>(total), static_cast<double>(tolerance));
  for (int i = 0; i < rows; ++i) {
    if (rows > columns) {
      EXPECT_LE(solution.row_dual[i], tolerance);
    }
    for (int j = 0; j < columns; ++j)
      ASSERT_LE(solution.row_dual[i] + solution.column_dual[j], cost[i * columns + j] + tolerance) << i << ' ' << j;
  }
  for (int j = 0; j < columns && columns > rows; ++j) {
    EXPECT_LE(solution.column_dual[j], tolerance);
    if (!taken[j]) {
      EXPECT_EQ(solution.column_dual[j], 0);
    }
  }
}

TEST(LinearSumAssignment, IsProvenOptimalOnRandomIntegers) {
  for (int seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    const int rows = pick(1, 60), columns = seed % 2 == 0 ? rows : pick(1, 60), range = seed % 3 == 0 ? 3 : 1000;
    std::vector<std::int64_t> cost(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    for (auto& value : cost) value = pick(-range / 2, range);
    expect_optimal<std::int64_t>(cost, rows, columns, 0);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(LinearSumAssignment, IsProvenOptimalOnRandomDoubles) {
  for (int seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(-0.3, 1);
    const int rows = 1 + static_cast<int>(random() % 70),
              columns = seed % 2 == 0 ? rows : 1 + static_cast<int>(random() % 70);
    std::vector<double> cost(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    for (auto& value : cost) value = seed % 5 == 0 ? std::round(4 * unit(random)) / 3 : unit(random);
    expect_optimal<double>(cost, rows, columns, 1e-11);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(LinearSumAssignment, ForbiddenPairsAreAvoidedOrSaidToBeInfeasible) {
  int infeasible = 0;
  for (int seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const int rows = 1 + static_cast<int>(random() % 7), columns = 1 + static_cast<int>(random() % 7);
    std::vector<double> cost(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    std::vector<std::int64_t> integer(cost.size());
    for (std::size_t k = 0; k < cost.size(); ++k) {
      const bool allowed = random() % 100 < 45;
      integer[k] = allowed ? static_cast<std::int64_t>(random() % 20) : forbidden_pair;
      cost[k] = allowed ? static_cast<double>(integer[k]) : std::numeric_limits<double>::infinity();
    }
    // All ways to fill the shorter side.
    const int longer = std::max(rows, columns), shorter = std::min(rows, columns);
    std::vector<int> order(longer);
    std::iota(order.begin(), order.end(), 0);
    double best = std::numeric_limits<double>::infinity();
    do {
      double sum = 0;
      for (int k = 0; k < shorter; ++k)
        sum += rows <= columns ? cost[k * columns + order[k]] : cost[order[k] * columns + k];
      best = std::min(best, sum);
    } while (std::next_permutation(order.begin(), order.end()));
    const auto doubles = solve_assignment(std::span<const double>(cost), rows, columns);
    const auto integers = solve_assignment(std::span<const std::int64_t>(integer), rows, columns);
    ASSERT_EQ(doubles.feasible, std::isfinite(best)) << "seed " << seed;
    ASSERT_EQ(integers.feasible, std::isfinite(best)) << "seed " << seed;
    if (!doubles.feasible) {
      ++infeasible;
      continue;
    }
    EXPECT_EQ(doubles.cost, best) << "seed " << seed;
    EXPECT_EQ(static_cast<double>(integers.cost), best) << "seed " << seed;
  }
  EXPECT_GT(infeasible, 20);
}

TEST(LinearSumAssignment, EmptyProblemsAreFeasible) {
  EXPECT_TRUE(solve_assignment(std::span<const double>{}, 0, 0).feasible);
  EXPECT_TRUE(solve_assignment(std::span<const double>{}, 0, 4).feasible);
  const auto left_over = solve_assignment(std::span<const double>{}, 3, 0);
  EXPECT_TRUE(left_over.feasible);
  EXPECT_EQ(left_over.column_of_row, (std::vector<std::int32_t>{-1, -1, -1}));
}

std::vector<std::int64_t> orlib_costs(const std::string& name, bool sparse, int& size) {
  std::istringstream text(text_of(data_folder() + "/assignment/orlib/" + name + ".txt"));
  text >> size;
  std::vector<std::int64_t> cost(static_cast<std::size_t>(size) * size, forbidden_pair);
  std::int64_t value = 0;
  if (sparse)
    for (int i = 0, j = 0; text >> i >> j >> value;) cost[static_cast<std::size_t>(i - 1) * size + j - 1] = value;
  else
    for (auto& entry : cost) text >> entry;
  return cost;
}

TEST(OrLibrary, ReachesThePublishedOptima) {
  if (text_of(data_folder() + "/assignment/orlib_optima.csv").empty())
    GTEST_SKIP() << "no OR-Library files under " << data_folder() << "; set LIPS_DATA";
  const std::vector<std::pair<std::string, int>> optima{{"assign100", 305}, {"assign200", 475}, {"assign300", 626},
                                                        {"assign400", 804}, {"assign500", 991}, {"assignp800", 2239}};
  for (const auto& [name, optimum] : optima) {
    int size = 0;
    const auto cost = orlib_costs(name, name == "assignp800", size);
    const auto solution = solve_assignment(std::span<const std::int64_t>(cost), size, size);
    EXPECT_TRUE(solution.feasible) << name;
    EXPECT_EQ(solution.cost, optimum) << name;
    std::vector<double> doubles(cost.begin(), cost.end());
    std::replace(doubles.begin(), doubles.end(), static_cast<double>(forbidden_pair),
                 std::numeric_limits<double>::infinity());
    EXPECT_EQ(solve_assignment(std::span<const double>(doubles), size, size).cost, optimum) << name;
  }
}

}  // namespace
}  // namespace lips::solver
