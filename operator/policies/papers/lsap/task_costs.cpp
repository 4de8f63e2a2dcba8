#include "policies/papers/lsap/task_costs.h"

#include <algorithm>
#include <cmath>

namespace lips::lsap {

namespace {

constexpr Locality every_level[] = {Locality::node, Locality::rack, Locality::zone, Locality::remote};
constexpr double parts_of_patience = 4;
constexpr double dearest_read = 100;  // as much as GFC at exactly the share

PoolId pool_of(const ClusterSnapshot& cluster, const WaitingTask& waiting) {
  return cluster.jobs[cluster.tasks[waiting.task].job].pool;
}

bool reads(const ClusterSnapshot& cluster, const WaitingTask& waiting) {
  return cluster.tasks[waiting.task].block.valid();
}

double largest(const std::vector<TaskCost>& costs) {
  double most = 0;
  for (const TaskCost& cost : costs) most = std::max(most, *std::ranges::max_element(cost.at));
  return most;
}

std::vector<GroupUse> uses(const ClusterSnapshot& cluster, const Wave& wave,
                           const std::vector<std::uint64_t>& running) {
  std::vector<GroupUse> groups;
  for (const PoolId pool : cluster.pools.ids())
    groups.push_back({cluster.pools[pool].weight, running[pool.index()], 0});
  for (const WaitingTask& task : wave.tasks) ++groups[pool_of(cluster, task).index()].waiting;
  for (const LeftOut& out : wave.left_out) groups[out.pool.index()].waiting += out.count;
  return groups;
}

// sto tasks of each group: those that may become local first, each kind by arrival.
std::vector<bool> choose(const ClusterSnapshot& cluster, const Wave& wave, const std::vector<GroupCost>& groups) {
  std::vector<std::uint64_t> open;
  for (const GroupCost& group : groups) open.push_back(group.to_occupy);
  std::vector<bool> chosen(wave.tasks.size(), false);
  const auto pass = [&](std::size_t i, bool local) {
    if (wave.tasks[i].may_be_local != local) return;
    std::uint64_t& left = open[pool_of(cluster, wave.tasks[i]).index()];
    if (left == 0) return;
    --left;
    chosen[i] = true;
  };
  for (std::size_t i = 0; i < wave.tasks.size(); ++i) pass(i, true);
  std::size_t next_out = 0;
  for (std::size_t i = 0; i <= wave.tasks.size(); ++i) {
    for (; next_out < wave.left_out.size() && wave.left_out[next_out].before == i; ++next_out) {
      std::uint64_t& left = open[wave.left_out[next_out].pool.index()];
      left -= std::min(left, wave.left_out[next_out].count);
    }
    if (i < wave.tasks.size()) pass(i, false);
  }
  return chosen;
}

}  // namespace

std::vector<TaskCost> locality_costs(const ClusterSnapshot& cluster, const Wave& wave, const LevelCosts& levels) {
  std::vector<TaskCost> costs(wave.tasks.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (!reads(cluster, wave.tasks[i])) continue;
    const Mebibytes input = cluster.tasks[wave.tasks[i].task].input;
    for (const Locality level : every_level) costs[i].at[level] = levels.of(level, input);
  }
  return costs;
}

std::vector<TaskCost> fair_costs(const ClusterSnapshot& cluster, const Wave& wave, const LevelCosts& levels,
                                 const std::vector<std::uint64_t>& running, const PolicySettings& settings) {
  std::vector<TaskCost> costs = locality_costs(cluster, wave, levels);
  const double most = largest(costs);
  const double alpha = settings.lsap.alpha > 0 ? settings.lsap.alpha : most > 0 ? dearest_read / most : 1;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const bool one = settings.lsap.unreachable == UnreachableCost::one && reads(cluster, wave.tasks[i]) &&
                     !wave.tasks[i].may_be_local;
    for (const Locality level : every_level) {
      double& cost = costs[i].at[level];
      cost = one && level != Locality::node ? 1 : alpha * cost;
    }
  }
  if (wave.enough_slots()) return costs;
  std::uint64_t slots = wave.slots;  // AS: idle or not
  for (const std::uint64_t used : running) slots += used;
  const std::vector<GroupUse> groups = uses(cluster, wave, running);
  const std::vector<GroupCost> of_group = group_costs(groups, slots, settings.lsap.beta, settings.lsap.rounding);
  const std::vector<bool> chosen = choose(cluster, wave, of_group);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const GroupCost& group = of_group[pool_of(cluster, wave.tasks[i]).index()];
    for (const Locality level : every_level) costs[i].at[level] += chosen[i] ? group.chosen : group.rest;
  }
  return costs;
}

void add_credit(const ClusterSnapshot& cluster, const Wave& wave, Duration patience, std::vector<TaskCost>& costs) {
  if (patience <= Duration(0) || wave.enough_slots()) return;
  const double most = std::max(largest(costs), 1.0);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const Duration waited = cluster.now - cluster.jobs[cluster.tasks[wave.tasks[i].task].job].arrival;
    const double parts = std::floor(parts_of_patience * to_seconds(waited) / to_seconds(patience));
    costs[i].credit = most * std::max(0.0, parts) / parts_of_patience;
  }
}

}  // namespace lips::lsap
