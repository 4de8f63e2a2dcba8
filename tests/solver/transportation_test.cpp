#include "solver/transportation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "solver/clp_backend.h"

namespace lips::solver {
namespace {

struct ZoneShape {
  int groups, zones, steps;
  double load;          // supply / capacity
  bool round_numbers;   // many ties
  int percent_blocked;  // pairs
  int percent_all_served;
};

ZoneTransportation random_transportation(int seed, const ZoneShape& shape) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto number = [&](double limit) {
    const double value = unit(random) * limit;
    return shape.round_numbers ? std::floor(value) : value;
  };
  ZoneTransportation problem;
  problem.steps.resize(shape.zones);
  double capacity = 0;
  for (auto& zone : problem.steps)
    for (int k = 0; k < shape.steps; ++k) {
      zone.push_back({number(20), number(10)});
      capacity += zone.back().capacity;
    }
  double total = 0;
  for (int g = 0; g < shape.groups; ++g) {
    problem.supply.push_back(number(100));
    total += problem.supply.back();
    problem.unserved_price.push_back(unit(random) * 100 < shape.percent_all_served ? infinity : 15 + number(20));
    for (int z = 0; z < shape.zones; ++z)
      problem.unit_cost.push_back(unit(random) * 100 < shape.percent_blocked ? infinity : number(8) - 1);
  }
  const double factor = total > 0 ? shape.load * capacity / total : 1;
  for (double& supply : problem.supply) supply = shape.round_numbers ? std::floor(supply * factor) : supply * factor;
  return problem;
}

LinearProgram as_linear_program(const ZoneTransportation& problem) {
  const int groups = static_cast<int>(problem.supply.size()), zones = static_cast<int>(problem.steps.size());
  LinearProgram program;
  for (double supply : problem.supply) program.add_row(supply, supply);
  for (int z = 0; z < zones; ++z) program.add_row(-infinity, 0);
  for (int g = 0; g < groups; ++g) {
    for (int z = 0; z < zones; ++z)
      if (const double cost = problem.unit_cost[g * zones + z]; std::isfinite(cost))
        program.add_column(cost, 0, infinity, std::vector<Entry>{{g, 1}, {groups + z, 1}});
    if (std::isfinite(problem.unserved_price[g]))
      program.add_column(problem.unserved_price[g], 0, infinity, std::vector<Entry>{{g, 1}});
  }
  for (int z = 0; z < zones; ++z)
    for (const ZoneStep& step : problem.steps[z])
      program.add_column(step.unit_price, 0, step.capacity, std::vector<Entry>{{groups + z, -1}});
  return program;
}

void expect_primal_feasible(const ZoneTransportation& problem, const ZoneTransportationSolution& solution) {
  const std::size_t groups = problem.supply.size(), zones = problem.steps.size();
  std::vector<double> load(zones, 0);
  for (std::size_t g = 0; g < groups; ++g) {
    double placed = solution.unserved[g];
    EXPECT_GE(solution.unserved[g], 0);
    if (!std::isfinite(problem.unserved_price[g])) {
      EXPECT_EQ(solution.unserved[g], 0);
    }
    for (std::size_t z = 0; z < zones; ++z) {
      const double amount = solution.amount[g * zones + z];
      EXPECT_GE(amount, 0);
      if (!std::isfinite(problem.unit_cost[g * zones + z])) {
        EXPECT_EQ(amount, 0);
      }
      placed += amount;
      load[z] += amount;
    }
    EXPECT_NEAR(placed, problem.supply[g], 1e-12 * std::max(1.0, problem.supply[g]));
  }
  for (std::size_t z = 0; z < zones; ++z) {
    double capacity = 0;
    for (const ZoneStep& step : problem.steps[z]) capacity += step.capacity;
    EXPECT_LE(load[z], capacity * (1 + 1e-12) + 1e-12);
    EXPECT_NEAR(load[z], solution.zone_load[z], 1e-9);
  }
}

void compare_with_clp(int seed, const ZoneShape& shape) {
  const ZoneTransportation problem = random_transportation(seed, shape);
  const LinearProgram program = as_linear_program(problem);
  const ZoneTransportationSolution ours = solve_zone_transportation(problem);
  const LpSolution clp = solve(program);
  ASSERT_EQ(ours.feasible, clp.status == LpStatus::optimal) << "seed " << seed;
  if (!ours.feasible) return;
  expect_primal_feasible(problem, ours);
  const double scale = std::max(1.0, std::abs(clp.objective));
  EXPECT_NEAR(ours.objective, clp.objective, 1e-8 * scale) << "seed " << seed;
  EXPECT_NEAR(ours.lower_bound, ours.objective, 1e-9 * scale) << "seed " << seed;
}

TEST(ZoneTransportation, EqualsClpOnRandomInstances) {
  for (int seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    compare_with_clp(seed,
                     {pick(1, 40), pick(1, 6), pick(1, 12), 0.2 * pick(1, 8), pick(0, 1) == 1, 10 * pick(0, 5), 0});
    if (HasFailure()) return;
  }
}

TEST(ZoneTransportation, SaysInfeasibleAsClpDoesWhereNothingMayOverflow) {
  for (int seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    compare_with_clp(1000 + seed, {pick(1, 20), pick(1, 4), pick(1, 6), 0.1 * pick(2, 10), pick(0, 1) == 1,
                                   5 * pick(0, 6), 50 * pick(0, 2)});
    if (HasFailure()) return;
  }
}

TEST(ZoneTransportation, DualsPriceOneMoreUnit) {
  for (int seed = 0; seed < 100; ++seed) {
    const ZoneTransportation problem = random_transportation(seed, {12, 3, 5, 0.8, false, 10, 0});
    const auto before = solve_zone_transportation(problem);
    for (int g = 0; g < 12; ++g) {
      ZoneTransportation more = problem;
      const double step = 1e-7;
      more.supply[g] += step;
      EXPECT_NEAR((solve_zone_transportation(more).objective - before.objective) / step, before.group_dual[g], 1e-4)
          << "seed " << seed << " group " << g;
    }
  }
}

TEST(ZoneTransportation, FillsTheCheapestStepsFirst) {
  ZoneTransportation problem;
  problem.supply = {10};
  problem.unserved_price = {100};
  problem.steps = {{{4, 3}, {4, 1}}, {{5, 2}}};
  problem.unit_cost = {0, 0};
  const auto solution = solve_zone_transportation(problem);
  EXPECT_EQ(solution.zone_load, (std::vector<double>{5, 5}));
  EXPECT_EQ(solution.objective, 4 * 1 + 5 * 2 + 1 * 3);
  EXPECT_EQ(solution.lower_bound, solution.objective);
  EXPECT_EQ(solution.group_dual, (std::vector<double>{3}));
}

TEST(ZoneTransportation, HandlesNothingToPlaceAndNowhereToPlaceIt) {
  ZoneTransportation problem;
  EXPECT_TRUE(solve_zone_transportation(problem).feasible);
  problem.supply = {0, 3};
  problem.unserved_price = {infinity, 7};
  auto solution = solve_zone_transportation(problem);
  EXPECT_TRUE(solution.feasible);
  EXPECT_EQ(solution.objective, 21);
  problem.unserved_price = {infinity, infinity};
  EXPECT_FALSE(solve_zone_transportation(problem).feasible);
  problem.steps = {{}};
  problem.unit_cost = {0, 0};
  EXPECT_FALSE(solve_zone_transportation(problem).feasible);
  problem.steps = {{{3, 0}}};
  solution = solve_zone_transportation(problem);
  EXPECT_TRUE(solution.feasible);  // exactly full
  EXPECT_EQ(solution.objective, 0);
  EXPECT_EQ(solution.lower_bound, 0);
}

TEST(ZoneTransportation, SuppliesThatFillTheCapacityOnlyUpToRoundingAreFeasible) {
  ZoneTransportation problem;
  problem.supply = {0.3, 0.6};
  problem.unserved_price = {infinity, infinity};
  problem.steps = {{{0.1, 1}, {0.2, 2}}, {{0.6, 1}}};
  problem.unit_cost = {0, infinity, infinity, 0};
  const auto solution = solve_zone_transportation(problem);
  EXPECT_TRUE(solution.feasible);
  EXPECT_NEAR(solution.objective, 0.1 + 0.4 + 0.6, 1e-12);
  EXPECT_NEAR(solution.lower_bound, solution.objective, 1e-12);
}

TEST(ZoneTransportation, EndsWhereStepsAreNoLargerThanRoundingErrors) {
  for (int seed = 0; seed < 50; ++seed) {
    ZoneTransportation problem = random_transportation(seed, {60, 6, 40, 0.95, seed % 2 == 0, 30, 0});
    for (auto& zone : problem.steps)
      for (std::size_t k = 0; k < zone.size(); k += 2) zone[k].capacity *= 1e-13;
    const ZoneTransportationSolution ours = solve_zone_transportation(problem);
    ASSERT_TRUE(ours.feasible) << "seed " << seed;
    expect_primal_feasible(problem, ours);
    EXPECT_NEAR(ours.lower_bound, ours.objective, 1e-9 * std::max(1.0, std::abs(ours.objective))) << "seed " << seed;
  }
}

TEST(ZoneTransportation, EqualProblemsGiveEqualSolutions) {
  const ZoneTransportation problem = random_transportation(5, {200, 5, 20, 0.9, true, 20, 0});
  EXPECT_EQ(solve_zone_transportation(problem).amount, solve_zone_transportation(problem).amount);
}

}  // namespace
}  // namespace lips::solver
