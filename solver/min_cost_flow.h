// Minimum-cost flow on integers by our own primal network simplex. Knows no meaning of its nodes.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace lips::solver {

enum class FlowStatus : std::uint8_t { optimal, infeasible, unbounded, out_of_range };

struct FlowSolution {
  FlowStatus status = FlowStatus::infeasible;
  std::int64_t cost = 0;
  std::vector<std::int64_t> flow;       // one an arc
  std::vector<std::int64_t> potential;  // one a node: cost + potential[from] - potential[to] >= 0 where an arc has room
  std::int64_t pivots = 0;
};

// minimise sum cost * flow subject to 0 <= flow <= capacity and outflow - inflow = supply at every node.
class MinCostFlow {
 public:
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 4;

  explicit MinCostFlow(std::int32_t nodes) : supply_(nodes, 0) {}

  void reserve_arcs(std::size_t count);
  void set_supply(std::int32_t node, std::int64_t supply) { supply_[node] = supply; }  // negative: a demand
  std::int32_t add_arc(std::int32_t from, std::int32_t to, std::int64_t capacity, std::int64_t cost);

  std::int32_t nodes() const { return static_cast<std::int32_t>(supply_.size()); }
  std::int32_t arcs() const { return static_cast<std::int32_t>(from_.size()); }
  std::int32_t from(std::int32_t arc) const { return from_[arc]; }
  std::int32_t to(std::int32_t arc) const { return to_[arc]; }
  std::int64_t capacity(std::int32_t arc) const { return capacity_[arc]; }
  std::int64_t cost(std::int32_t arc) const { return cost_[arc]; }
  std::int64_t supply(std::int32_t node) const { return supply_[node]; }

  // Deterministic. out_of_range where nodes x largest cost reaches 2^60.
  FlowSolution solve() const;

 private:
  std::vector<std::int64_t> supply_;
  std::vector<std::int32_t> from_, to_;
  std::vector<std::int64_t> capacity_, cost_;
};

}  // namespace lips::solver
