#include "policies/papers/lsap/placement.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "solver/linear_sum_assignment.h"
#include "solver/tiered_assignment.h"

namespace lips::lsap {

namespace {

constexpr double fine = 1'000'000;  // costs are whole millionths of the largest,
constexpr double coarse =
    50;  // or fiftieths in large waves of many different costs: the solver's phases grow with them
constexpr std::size_t large_wave = 20'000, many_costs = 64;
constexpr std::int64_t left_out = std::int64_t{1} << 36;  // above any cost and credit
constexpr std::int64_t not_allowed = std::int64_t{1} << 46;
constexpr double most_credit = 1000;  // times the largest cost
constexpr int most_phases = 20'000;

// Costs as whole numbers, so that sums are exact and equal costs stay equal.
struct WholeCost {
  EnumArray<Locality, std::int64_t> at;
  std::int64_t credit = 0;
};

double steps_for(const std::vector<TaskCost>& costs) {
  if (costs.size() <= large_wave) return fine;
  std::set<double> different;
  for (const TaskCost& cost : costs)
    if (different.insert(cost.at[Locality::remote]); different.size() > many_costs) return coarse;
  return fine;
}

std::vector<WholeCost> whole(const std::vector<TaskCost>& costs, double steps) {
  double largest = 0;
  for (const TaskCost& cost : costs) largest = std::max(largest, *std::ranges::max_element(cost.at));
  const double scale = largest > 0 ? steps / largest : 0;
  std::vector<WholeCost> result(costs.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const TaskCost& from = costs[i];
    WholeCost& to = result[i];
    for (const Locality level : enumerators<Locality>) to.at[level] = std::llround(from.at[level] * scale);
    // A read that costs hardly anything from afar still is better done here.
    for (const Locality level : {Locality::rack, Locality::zone, Locality::remote})
      if (from.at[level] > from.at[Locality::node]) to.at[level] = std::max(to.at[level], to.at[Locality::node] + 1);
    to.credit = std::llround(std::min(from.credit, most_credit * largest) * scale);
  }
  return result;
}

class Solving {
 public:
  Solving(const ClusterSnapshot& cluster, const Wave& wave, const LevelCosts& levels, std::vector<WholeCost> costs,
          double steps)
      : cluster_(cluster),
        wave_(wave),
        by_rack_(grouped_by_rack(cluster, levels)),
        tiered_(by_rack_ || levels.cost[Locality::rack] == levels.cost[Locality::zone]),
        more_tasks_than_slots_(!wave.enough_slots()),
        costs_(std::move(costs)),
        steps_(steps) {
    std::uint32_t last = 0;
    for (const IdleNode& idle : wave.nodes) last = std::max(last, idle.node.index());
    at_of_node_.assign(wave.nodes.empty() ? 0 : last + 1, -1);
    for (std::size_t i = 0; i < wave.nodes.size(); ++i)
      at_of_node_[wave.nodes[i].node.index()] = static_cast<std::int32_t>(i);
    slots_left_.reserve(wave.nodes.size());
    for (const IdleNode& idle : wave.nodes) slots_left_.push_back(idle.slots);
    for (const WaitingTask& task : wave.tasks)
      if (!std::ranges::binary_search(kinds_, task.kind))
        kinds_.insert(std::ranges::upper_bound(kinds_, task.kind), task.kind);
  }

  Placing run(std::uint64_t dense_pairs) {
    Placing placing;
    const std::vector<std::vector<FreeCapacity::Kind>> alike = kinds_that_take_the_same();
    if (alike.size() == 1 && tiered_) {
      if (more_tasks_than_slots_) narrow();
      solve_tiered(alike.front(), placing);
    } else if (wave_.slots * wave_.tasks.size() <= dense_pairs) {
      placing.solved_as = SolvedAs::dense;
      solve_dense(placing);
    } else {
      placing.solved_as = alike.size() == 1 ? SolvedAs::tiered : SolvedAs::tiered_by_kind;
      placing.exact = false;
      for (const auto& kinds : alike) solve_tiered(kinds, placing);
    }
    std::ranges::stable_sort(placing.placed, [](const Placed& a, const Placed& b) {
      return std::tuple(a.cost, a.task) < std::tuple(b.cost, b.task);
    });
    return placing;
  }

 private:
  // Kinds by the idle nodes that take them, those with the fewest first.
  std::vector<std::vector<FreeCapacity::Kind>> kinds_that_take_the_same() const {
    std::map<std::vector<std::uint8_t>, std::vector<FreeCapacity::Kind>> by_nodes;
    for (const FreeCapacity::Kind kind : kinds_) by_nodes[wave_.takes[kind]].push_back(kind);
    std::vector<std::pair<std::size_t, std::vector<FreeCapacity::Kind>>> counted;
    for (const auto& [nodes, kinds] : by_nodes)
      counted.emplace_back(std::accumulate(nodes.begin(), nodes.end(), std::size_t{0}), kinds);
    std::ranges::sort(counted);
    std::vector<std::vector<FreeCapacity::Kind>> result;
    for (auto& [count, kinds] : counted) result.push_back(std::move(kinds));
    return result;
  }

  // Where every task may take every slot: one that even at its best costs more than as many others as there are slots
  // cost at their worst is never chosen, and a credit that is the largest cost above that of the last task with a slot
  // is as good as any more. Fewer tasks and fewer distinct costs solve faster.
  void narrow() {
    if (wave_.slots >= wave_.tasks.size()) return;
    std::vector<std::int64_t> worst, credits;
    for (std::size_t task = 0; task < costs_.size(); ++task) {
      worst.push_back(dearest(task) - costs_[task].credit);
      credits.push_back(costs_[task].credit);
    }
    const auto last = static_cast<std::ptrdiff_t>(wave_.slots) - 1;
    std::ranges::nth_element(worst, worst.begin() + last);
    std::ranges::nth_element(credits, credits.begin() + last, std::greater<>());
    const std::int64_t limit = worst[wave_.slots - 1];
    const std::int64_t most_credit_needed = credits[wave_.slots - 1] + static_cast<std::int64_t>(steps_) + 2;
    never_.assign(costs_.size(), false);
    for (std::size_t task = 0; task < costs_.size(); ++task) {
      const Locality best = wave_.tasks[task].may_be_local || !reads(task) ? Locality::node : Locality::rack;
      never_[task] = cost(task, best) - costs_[task].credit > limit;
      costs_[task].credit = std::min(costs_[task].credit, most_credit_needed);
    }
  }

  bool reads(std::size_t task) const { return cluster_.tasks[wave_.tasks[task].task].block.valid(); }
  std::int64_t dearest(std::size_t task) const { return cost(task, reads(task) ? Locality::remote : Locality::node); }

  std::int64_t cost(std::size_t task, Locality level) const { return costs_[task].at[level]; }

  void place(Placing& placing, std::size_t task, std::size_t node, std::int64_t cost) {
    --slots_left_[node];
    placing.placed.push_back({task, node, static_cast<double>(cost - costs_[task].credit)});
  }

  // ---- tiered: bins are the idle nodes, and for each rack or zone one without slots that stands for its other stores

  std::int32_t group_of(NodeId node) {
    const Node& at = cluster_.nodes[node];
    const std::uint64_t key = !by_rack_         ? at.zone.index()
                              : at.rack.valid() ? at.rack.index()
                                                : (std::uint64_t{1} << 32) + node.index();
    return group_by_key_.try_emplace(key, static_cast<std::int32_t>(group_by_key_.size())).first->second;
  }

  // None: a store without node is in no rack.
  std::int32_t group_of_store(const DataStore& store) {
    if (store.node.valid()) return group_of(store.node);
    if (by_rack_) return -1;
    return group_by_key_.try_emplace(store.zone.index(), static_cast<std::int32_t>(group_by_key_.size())).first->second;
  }

  solver::TierCosts tiers(std::size_t task) const {
    solver::TierCosts tier;
    tier.near = cost(task, Locality::node);
    tier.group = cost(task, Locality::rack);
    tier.anywhere = cost(task, by_rack_ && cluster_.zones.size() == 1 ? Locality::zone : Locality::remote);
    if (!tiered_) tier.group = cost(task, Locality::zone);
    if (!cluster_.tasks[wave_.tasks[task].task].block.valid()) tier.group = tier.anywhere = tier.near;
    tier.nowhere = left_out + (more_tasks_than_slots_ ? costs_[task].credit : 0);
    return tier;
  }

  // Near bins of the task; groups that only its other replicas are in come as numbers below 0.
  void add_near(std::size_t task, std::vector<std::int32_t>& near) {
    const BlockId block = cluster_.tasks[wave_.tasks[task].task].block;
    if (!block.valid()) return;
    for (const Replica& replica : cluster_.blocks[block].replicas) {
      const DataStore& store = cluster_.stores[replica.store];
      const std::uint32_t node = store.node.index();
      const std::int32_t bin = store.node.valid() && node < at_of_node_.size() ? at_of_node_[node] : -1;
      const bool open = bin >= 0 && wave_.takes[wave_.tasks[task].kind][static_cast<std::size_t>(bin)] != 0;
      const std::int32_t group = group_of_store(store);
      const std::int32_t entry = open ? bin : -1 - group;
      if ((open || group >= 0) && std::ranges::find(near, entry) == near.end()) near.push_back(entry);
    }
  }

  void solve_tiered(const std::vector<FreeCapacity::Kind>& kinds, Placing& placing) {
    solver::TieredAssignment problem;
    problem.kinds.clear();
    const auto bins = static_cast<std::int32_t>(wave_.nodes.size());
    group_by_key_.clear();
    for (std::size_t i = 0; i < wave_.nodes.size(); ++i) {
      problem.slots.push_back(wave_.takes[kinds.front()][i] ? slots_left_[i] : 0);
      problem.group_of_bin.push_back(group_of(wave_.nodes[i].node));
    }
    std::vector<std::size_t> items;
    std::map<std::array<std::int64_t, 4>, std::int32_t> kind_by_cost;
    std::vector<std::int32_t> near;
    for (std::size_t task = 0; task < wave_.tasks.size(); ++task) {
      if (!std::ranges::binary_search(kinds, wave_.tasks[task].kind) || (!never_.empty() && never_[task])) continue;
      items.push_back(task);
      const solver::TierCosts tier = tiers(task);
      const auto [kind, added] = kind_by_cost.try_emplace({tier.near, tier.group, tier.anywhere, tier.nowhere},
                                                          static_cast<std::int32_t>(problem.kinds.size()));
      if (added) problem.kinds.push_back(tier);
      problem.kind_of_item.push_back(kind->second);
      near.clear();
      add_near(task, near);
      for (const std::int32_t bin : near) problem.near_bins.push_back(bin >= 0 ? bin : bins - 1 - bin);
      problem.near_start.push_back(static_cast<std::int32_t>(problem.near_bins.size()));
    }
    for (std::size_t group = 0; group < group_by_key_.size(); ++group) {
      problem.slots.push_back(0);
      problem.group_of_bin.push_back(static_cast<std::int32_t>(group));
    }
    const solver::TieredSolution solution = solver::solve_tiered_assignment(problem, most_phases);
    placing.exact = placing.exact && solution.optimal;
    for (std::size_t i = 0; i < items.size(); ++i)
      if (const std::int32_t bin = solution.bin_of_item[i]; bin >= 0)
        place(placing, items[i], static_cast<std::size_t>(bin), cost_of(items[i], solution.tier[i]));
  }

  std::int64_t cost_of(std::size_t task, solver::Tier tier) const {
    const solver::TierCosts costs = tiers(task);
    return tier == solver::Tier::near ? costs.near : tier == solver::Tier::group ? costs.group : costs.anywhere;
  }

  // ---- dense: a row a task, a column a slot

  Locality level(std::size_t task, NodeId node) const {
    const BlockId block = cluster_.tasks[wave_.tasks[task].task].block;
    if (!block.valid()) return Locality::node;
    Locality best = Locality::remote;
    for (const Replica& replica : cluster_.blocks[block].replicas)
      best = std::min(best, locality_of(cluster_, replica.store, node));
    return best;
  }

  void solve_dense(Placing& placing) {
    std::vector<std::size_t> node_of_column;
    for (std::size_t node = 0; node < wave_.nodes.size(); ++node)
      node_of_column.insert(node_of_column.end(), static_cast<std::size_t>(wave_.nodes[node].slots), node);
    const std::size_t columns = node_of_column.size();
    std::vector<std::int64_t> matrix;
    matrix.reserve(wave_.tasks.size() * columns);
    for (std::size_t task = 0; task < wave_.tasks.size(); ++task) {
      const std::int64_t credit = more_tasks_than_slots_ ? costs_[task].credit : 0;
      for (std::size_t node = 0; node < wave_.nodes.size(); ++node) {
        const std::int64_t pair = wave_.takes[wave_.tasks[task].kind][node]
                                      ? cost(task, level(task, wave_.nodes[node].node)) - credit
                                      : not_allowed;
        matrix.insert(matrix.end(), static_cast<std::size_t>(wave_.nodes[node].slots), pair);
      }
    }
    const auto solution =
        solver::solve_assignment(std::span<const std::int64_t>(matrix), static_cast<std::int32_t>(wave_.tasks.size()),
                                 static_cast<std::int32_t>(columns));
    for (std::size_t task = 0; task < wave_.tasks.size(); ++task) {
      const std::int32_t column = solution.column_of_row[task];
      if (column < 0) continue;
      const std::size_t node = node_of_column[static_cast<std::size_t>(column)];
      if (wave_.takes[wave_.tasks[task].kind][node])
        place(placing, task, node, cost(task, level(task, wave_.nodes[node].node)));
    }
  }

  const ClusterSnapshot& cluster_;
  const Wave& wave_;
  const bool by_rack_, tiered_, more_tasks_than_slots_;
  std::vector<WholeCost> costs_;
  const double steps_;                     // that the largest cost is
  std::vector<bool> never_;                // by task: others go first; empty: none
  std::vector<FreeCapacity::Kind> kinds_;  // that wait, sorted
  std::vector<std::int32_t> at_of_node_;   // by node: its place in the wave, or -1
  std::vector<std::int32_t> slots_left_;   // by place in the wave
  std::map<std::uint64_t, std::int32_t> group_by_key_;
};

}  // namespace

bool grouped_by_rack(const ClusterSnapshot& cluster, const LevelCosts& levels) {
  return levels.cost[Locality::rack] != levels.cost[Locality::zone] &&
         (levels.cost[Locality::zone] == levels.cost[Locality::remote] || cluster.zones.size() == 1);
}

Placing solve_placement(const ClusterSnapshot& cluster, const Wave& wave, const LevelCosts& levels,
                        const std::vector<TaskCost>& costs, std::uint64_t dense_pairs) {
  if (wave.tasks.empty() || wave.nodes.empty()) return {};
  const double steps = steps_for(costs);
  Placing placing = Solving(cluster, wave, levels, whole(costs, steps), steps).run(dense_pairs);
  placing.exact = placing.exact && steps == fine;
  return placing;
}

}  // namespace lips::lsap
