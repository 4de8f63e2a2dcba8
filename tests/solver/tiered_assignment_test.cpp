#include "solver/tiered_assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "solver/linear_sum_assignment.h"

namespace lips::solver {
namespace {

struct Shape {
  int items, bins, groups, most_slots, replicas, kinds;
  double skew;  // share of near bins that fall on the first tenth
};

TieredAssignment random_problem(int seed, const Shape& shape) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto below = [&](int limit) { return static_cast<int>(unit(random) * limit); };
  TieredAssignment problem;
  for (int b = 0; b < shape.bins; ++b) {
    problem.slots.push_back(below(shape.most_slots + 1));
    problem.group_of_bin.push_back(below(shape.groups));
  }
  problem.kinds.clear();
  for (int k = 0; k < shape.kinds; ++k) {
    const std::int64_t near = k == 0 ? 0 : below(20), group = near + (k == 0 ? 1 : below(4)),
                       any = group + 2 + below(3);
    problem.kinds.push_back({near, group, any, below(5) == 0 ? below(12) : 200 + below(50)});
  }
  for (int t = 0; t < shape.items; ++t) {
    for (int k = below(shape.replicas + 1); k > 0; --k)
      problem.near_bins.push_back(unit(random) < shape.skew ? below(1 + shape.bins / 10) : below(shape.bins));
    problem.near_start.push_back(static_cast<std::int32_t>(problem.near_bins.size()));
    if (shape.kinds > 1) problem.kind_of_item.push_back(below(shape.kinds));
  }
  return problem;
}

Tier tier_of(const TieredAssignment& problem, int item, int bin) {
  if (bin < 0) return Tier::nowhere;
  Tier tier = Tier::anywhere;
  for (int k = problem.near_start[item]; k < problem.near_start[item + 1]; ++k) {
    if (problem.near_bins[k] == bin) return Tier::near;
    if (problem.group_of_bin[problem.near_bins[k]] == problem.group_of_bin[bin]) tier = Tier::group;
  }
  return tier;
}

std::int64_t cost_of(const TieredAssignment& problem, int item, Tier tier) {
  const TierCosts& costs = problem.kinds[problem.kind_of_item.empty() ? 0 : problem.kind_of_item[item]];
  const std::int64_t by_tier[] = {costs.near, costs.group, costs.anywhere, costs.nowhere};
  return by_tier[static_cast<int>(tier)];
}

void expect_valid(const TieredAssignment& problem, const TieredSolution& solution) {
  std::vector<int> used(problem.slots.size(), 0);
  std::int64_t cost = 0;
  for (int t = 0; t + 1 < std::ssize(problem.near_start); ++t) {
    const int bin = solution.bin_of_item[t];
    if (bin >= 0) ++used[bin];
    EXPECT_EQ(solution.tier[t], tier_of(problem, t, bin));
    cost += cost_of(problem, t, solution.tier[t]);
  }
  for (std::size_t b = 0; b < used.size(); ++b) EXPECT_LE(used[b], problem.slots[b]);
  EXPECT_EQ(cost, solution.cost);
  EXPECT_LE(solution.lower_bound, solution.cost);
}

// One column a slot, and one a item for being nowhere.
std::int64_t dense_optimum(const TieredAssignment& problem) {
  const int items = static_cast<int>(problem.near_start.size()) - 1;
  std::vector<int> bin_of_slot;
  for (int b = 0; b < std::ssize(problem.slots); ++b) bin_of_slot.insert(bin_of_slot.end(), problem.slots[b], b);
  bin_of_slot.insert(bin_of_slot.end(), items, -1);
  const int columns = static_cast<int>(bin_of_slot.size());
  std::vector<std::int64_t> cost;
  for (int t = 0; t < items; ++t)
    for (const int bin : bin_of_slot) cost.push_back(cost_of(problem, t, tier_of(problem, t, bin)));
  return solve_assignment(std::span<const std::int64_t>(cost), items, columns).cost;
}

Shape random_shape(int seed) {
  std::mt19937 random(seed);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  return {pick(0, 50), pick(1, 25), pick(1, 5), pick(1, 4), pick(0, 4), pick(1, 4), 0.25 * pick(0, 3)};
}

TEST(TieredAssignment, EqualsTheDenseOptimum) {
  for (int seed = 0; seed < 500; ++seed) {
    const TieredAssignment problem = random_problem(seed, random_shape(seed));
    const TieredSolution solution = solve_tiered_assignment(problem);
    EXPECT_TRUE(solution.optimal);
    EXPECT_EQ(solution.lower_bound, solution.cost);
    EXPECT_EQ(solution.cost, dense_optimum(problem));
    expect_valid(problem, solution);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(TieredAssignment, OutOfPhasesItIsValidAndItsBoundHolds) {
  int cut = 0;
  for (int seed = 0; seed < 300; ++seed) {
    const TieredAssignment problem = random_problem(seed, random_shape(seed));
    const TieredSolution solution = solve_tiered_assignment(problem, seed % 4);
    cut += solution.optimal ? 0 : 1;
    expect_valid(problem, solution);
    EXPECT_LE(solution.lower_bound, dense_optimum(problem));
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(cut, 100);
}

TEST(TieredAssignment, PrefersNearThenGroupThenAnywhere) {
  TieredAssignment problem;
  problem.slots = {1, 1, 2};
  problem.group_of_bin = {0, 0, 1};
  problem.near_start = {0, 1, 2, 3};  // three items, all near bin 0
  problem.near_bins = {0, 0, 0};
  const TieredSolution solution = solve_tiered_assignment(problem);
  EXPECT_EQ(solution.cost, 0 + 1 + 3);
  EXPECT_TRUE(solution.optimal);
}

TEST(TieredAssignment, LeavesOutTheItemsThatMindLeast) {
  TieredAssignment problem;
  problem.slots = {1};
  problem.group_of_bin = {0};
  problem.near_start = {0, 1, 2};
  problem.near_bins = {0, 0};
  problem.kinds = {{0, 1, 3, 10}, {0, 1, 3, 50}};
  problem.kind_of_item = {0, 1};
  const TieredSolution solution = solve_tiered_assignment(problem);
  EXPECT_EQ(solution.bin_of_item, (std::vector<std::int32_t>{-1, 0}));
  EXPECT_EQ(solution.cost, 10);
}

TEST(TieredAssignment, SolvesNothingAndNowhere) {
  TieredAssignment problem;
  EXPECT_EQ(solve_tiered_assignment(problem).cost, 0);
  problem.near_start = {0, 0};
  const TieredSolution solution = solve_tiered_assignment(problem);
  EXPECT_EQ(solution.bin_of_item, (std::vector<std::int32_t>{-1}));
  EXPECT_EQ(solution.cost, 1000);
}

}  // namespace
}  // namespace lips::solver
