#include "solver/min_cost_flow.h"

#include <gtest/gtest.h>

#include <random>

#include "solver/clp_backend.h"

namespace lips::solver {
namespace {

MinCostFlow random_network(int seed, int nodes, int arcs, int cost_range) {
  std::mt19937 random(seed);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  MinCostFlow network(nodes);
  for (int k = 0; k < nodes; ++k) {
    const int from = pick(0, nodes - 1), to = pick(0, nodes - 1), amount = pick(0, 9);
    network.set_supply(from, network.supply(from) + amount);
    network.set_supply(to, network.supply(to) - amount);
  }
  for (int a = 0; a < arcs; ++a)
    network.add_arc(pick(0, nodes - 1), pick(0, nodes - 1), pick(0, 5) == 0 ? 0 : pick(1, 30),
                    pick(-cost_range / 4, cost_range));
  return network;
}

LinearProgram as_linear_program(const MinCostFlow& network) {
  LinearProgram program;
  for (int v = 0; v < network.nodes(); ++v)
    program.add_row(static_cast<double>(network.supply(v)), static_cast<double>(network.supply(v)));
  for (int a = 0; a < network.arcs(); ++a) {
    std::vector<Entry> entries;
    if (network.from(a) != network.to(a)) entries = {{network.from(a), 1}, {network.to(a), -1}};
    program.add_column(static_cast<double>(network.cost(a)), 0, static_cast<double>(network.capacity(a)), entries);
  }
  return program;
}

// Feasible, and complementary with its potentials: so optimal, whatever any other solver says.
void expect_optimal(const MinCostFlow& network, const FlowSolution& solution) {
  std::vector<std::int64_t> balance(network.nodes(), 0);
  for (int a = 0; a < network.arcs(); ++a) {
    const auto flow = solution.flow[a];
    ASSERT_GE(flow, 0);
    ASSERT_LE(flow, network.capacity(a));
    balance[network.from(a)] += flow;
    balance[network.to(a)] -= flow;
    const auto reduced = network.cost(a) + solution.potential[network.from(a)] - solution.potential[network.to(a)];
    if (flow < network.capacity(a)) {
      ASSERT_GE(reduced, 0) << "arc " << a;
    }
    if (flow > 0) {
      ASSERT_LE(reduced, 0) << "arc " << a;
    }
  }
  for (int v = 0; v < network.nodes(); ++v) EXPECT_EQ(balance[v], network.supply(v));
}

TEST(MinCostFlow, EqualsClpOnRandomNetworks) {
  int optimal = 0;
  for (int seed = 0; seed < 400; ++seed) {
    const MinCostFlow network = random_network(seed, 2 + seed % 25, 5 + seed % 130, seed % 3 == 0 ? 4 : 1000);
    const FlowSolution ours = network.solve();
    const LpSolution clp = solve(as_linear_program(network));
    ASSERT_EQ(ours.status == FlowStatus::optimal, clp.status == LpStatus::optimal) << "seed " << seed;
    if (ours.status != FlowStatus::optimal) continue;
    ++optimal;
    EXPECT_NEAR(static_cast<double>(ours.cost), clp.objective, 1e-6 * std::max(1.0, std::abs(clp.objective)))
        << "seed " << seed;
    expect_optimal(network, ours);
  }
  EXPECT_GT(optimal, 100);
}

TEST(MinCostFlow, SolvesLargeDegenerateNetworks) {
  MinCostFlow network(400);  // unit assignment: every pivot is degenerate or nearly so
  std::mt19937 random(7);
  for (int v = 0; v < 200; ++v) {
    network.set_supply(v, 1);
    network.set_supply(200 + v, -1);
    for (int w = 0; w < 200; ++w) network.add_arc(v, 200 + w, 1, static_cast<int>(random() % 5));
  }
  const FlowSolution solution = network.solve();
  ASSERT_EQ(solution.status, FlowStatus::optimal);
  expect_optimal(network, solution);
}

TEST(MinCostFlow, SaysInfeasibleUnboundedAndOutOfRange) {
  MinCostFlow unbalanced(2);
  unbalanced.set_supply(0, 1);
  unbalanced.add_arc(0, 1, 5, 1);
  EXPECT_EQ(unbalanced.solve().status, FlowStatus::infeasible);
  MinCostFlow narrow(2);
  narrow.set_supply(0, 2);
  narrow.set_supply(1, -2);
  narrow.add_arc(0, 1, 1, 1);
  EXPECT_EQ(narrow.solve().status, FlowStatus::infeasible);
  MinCostFlow circle(2);
  circle.add_arc(0, 1, MinCostFlow::unlimited, -2);
  circle.add_arc(1, 0, MinCostFlow::unlimited, 1);
  EXPECT_EQ(circle.solve().status, FlowStatus::unbounded);
  MinCostFlow dear(2);
  dear.add_arc(0, 1, 1, std::int64_t{1} << 59);
  EXPECT_EQ(dear.solve().status, FlowStatus::out_of_range);
  EXPECT_EQ(MinCostFlow(3).solve().status, FlowStatus::optimal);
}

}  // namespace
}  // namespace lips::solver
