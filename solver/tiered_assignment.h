// Assignment with few distinct costs: items to slots of bins in groups. An item is cheap on its near bins, dearer in
// their groups, dearest anywhere else. Exact, as a minimum-cost flow through the groups. Knows no meaning of items and
// bins.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace lips::solver {

enum class Tier : std::uint8_t { near, group, anywhere, nowhere };

// near <= group <= anywhere; `nowhere` is the price of leaving the item out and may be anything. Below 2^40 in size.
struct TierCosts {
  std::int64_t near = 0, group = 1, anywhere = 3, nowhere = 1000;
};

struct TieredAssignment {
  std::vector<std::int32_t> slots;          // one a bin
  std::vector<std::int32_t> group_of_bin;   // one a bin, numbered from 0
  std::vector<std::int32_t> near_start{0};  // items + 1: where an item's near bins begin
  std::vector<std::int32_t> near_bins;
  std::vector<TierCosts> kinds{TierCosts{}};
  std::vector<std::int32_t> kind_of_item;  // into `kinds`; empty: all items are of kind 0
};

struct TieredSolution {
  std::vector<std::int32_t> bin_of_item;  // -1: nowhere
  std::vector<Tier> tier;
  std::int64_t cost = 0;
  std::int64_t lower_bound = 0;  // of any assignment; equals the cost when optimal
  bool optimal = false;          // false only when the phases ran out and the rest was placed greedily
  int phases = 0;
};

// Solves one problem after another in the same memory. Primal-dual: phases of shortest paths in Dial's buckets (Dial,
// CACM 12, 1969), each followed by a blocking flow along the shortest of them (Hopcroft and Karp, SIAM J. Comput. 2,
// 1973). Deterministic.
class TieredSolver {
 public:
  TieredSolver();
  ~TieredSolver();
  // Holds until the next problem.
  const TieredSolution& solve(const TieredAssignment& problem, int max_phases = 500);

 private:
  std::unique_ptr<class TieredFlow> flow_;
};
TieredSolution solve_tiered_assignment(const TieredAssignment& problem, int max_phases = 500);

}  // namespace lips::solver
