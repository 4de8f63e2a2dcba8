#include "experiments/guo_setup.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "policies/registry/registry.h"
#include "solver/linear_sum_assignment.h"

namespace lips::experiments {

namespace {

constexpr double block_size = 64;

ClusterSnapshot empty_cluster(const GuoShape& shape) {
  ClusterSnapshot cluster;
  cluster.zones.push_back({"zone"});
  cluster.profiles.push_back({});
  for (std::size_t i = 0; i < shape.group_weights.size(); ++i) {
    Pool pool;
    pool.name = "group-" + std::to_string(i);
    pool.weight = shape.group_weights[i];
    cluster.pools.push_back(pool);
  }
  for (std::uint32_t i = 0; i < shape.nodes; ++i) {
    if (shape.rack_size > 0 && i % shape.rack_size == 0) cluster.racks.push_back({"rack", ZoneId(0)});
    Node node;
    node.name = "node-" + std::to_string(i);
    node.zone = ZoneId(0);
    if (shape.rack_size > 0) node.rack = RackId(i / shape.rack_size);
    node.profile = ProfileId(0);
    node.capacity = {Cores(shape.slots), Mebibytes(1024.0 * shape.slots), static_cast<std::int32_t>(shape.slots)};
    const NodeId id = cluster.nodes.push_back(node);
    DataStore store;
    store.name = node.name;
    store.zone = ZoneId(0);
    store.node = id;
    cluster.stores.push_back(store);
  }
  return cluster;
}

void add_blocks(ClusterSnapshot& cluster, const GuoShape& shape, Random& random) {
  cluster.data_sets.push_back({"input", BlockId(0), shape.tasks, {}, {}});
  std::vector<std::uint32_t> nodes(shape.nodes);
  for (std::uint32_t i = 0; i < shape.nodes; ++i) nodes[i] = i;
  for (std::uint32_t task = 0; task < shape.tasks; ++task) {
    Block block;
    block.data_set = DataSetId(0);
    block.size = Mebibytes(block_size);
    const std::uint32_t copies = std::min(shape.replicas, shape.nodes);
    for (std::uint32_t copy = 0; copy < copies; ++copy) {  // the first steps of a shuffle: distinct nodes
      std::swap(nodes[copy], nodes[copy + random.below(shape.nodes - copy)]);
      block.replicas.push_back({StoreId(nodes[copy]), false, {}});
    }
    std::ranges::sort(block.replicas, {}, &Replica::store);
    cluster.blocks.push_back(std::move(block));
  }
}

JobArrived job_of(PoolId pool, const std::vector<BlockId>& blocks, std::uint32_t without_input) {
  JobArrived arrived;
  arrived.job.name = "job";
  arrived.job.pool = pool;
  arrived.job.request = {Cores(1), Mebibytes(1), 1};
  arrived.job.map_tasks = static_cast<std::uint32_t>(blocks.size()) + without_input;
  for (std::uint32_t i = 0; i < arrived.job.map_tasks; ++i) {
    Task task;
    task.cpu = CpuSeconds(60);
    if (i < blocks.size()) {
      task.block = blocks[i];
      task.input = Mebibytes(block_size);
    }
    arrived.tasks.push_back(task);
  }
  return arrived;
}

// Fills all slots but the idle ones with running tasks of random groups.
void occupy(ClusterState& state, const GuoShape& shape, Random& random) {
  std::vector<NodeId> slots;
  for (std::uint32_t node = 0; node < shape.nodes; ++node) slots.insert(slots.end(), shape.slots, NodeId(node));
  random.shuffle(std::span(slots));
  std::vector<std::vector<NodeId>> of_group(shape.group_weights.size());
  for (std::size_t i = shape.idle; i < slots.size(); ++i) of_group[random.below(of_group.size())].push_back(slots[i]);
  for (std::uint32_t group = 0; group < of_group.size(); ++group) {
    if (of_group[group].empty()) continue;
    state.apply(job_of(PoolId(group), {}, static_cast<std::uint32_t>(of_group[group].size())));
    const TaskId first =
        state.snapshot().jobs[JobId(static_cast<std::uint32_t>(state.snapshot().jobs.size() - 1))].first_task;
    for (std::uint32_t i = 0; i < of_group[group].size(); ++i)
      state.assume({TaskId(first.index() + i), of_group[group][i], {}, {}});
  }
}

}  // namespace

GuoShape half_idle(std::uint32_t nodes, std::uint32_t slots) {
  GuoShape shape;
  shape.nodes = nodes;
  shape.slots = slots;
  shape.idle = shape.tasks = nodes * slots / 2;
  return shape;
}

std::vector<double> guo_sizes(const ExperimentRun& run) {
  std::vector<double> sizes;
  for (int nodes = 100; nodes <= (run.quick ? 150 : 500); nodes += 50) sizes.push_back(nodes);
  return sizes;
}

std::vector<double> guo_odd_numbers(int most) {
  std::vector<double> numbers;
  for (int number = 1; number <= most; number += 2) numbers.push_back(number);
  return numbers;
}

std::uint64_t guo_setup_seed(std::uint32_t seed) { return derive_seed(seed, 1); }

ClusterState guo_setup(const GuoShape& shape, std::uint64_t seed) {
  Random random(seed);
  ClusterSnapshot cluster = empty_cluster(shape);
  add_blocks(cluster, shape, random);
  ClusterState state(std::move(cluster));
  occupy(state, shape, random);
  std::vector<std::vector<BlockId>> of_group(shape.group_weights.size());
  for (std::uint32_t task = 0; task < shape.tasks; ++task) of_group[random.below(of_group.size())].emplace_back(task);
  for (std::uint32_t group = 0; group < of_group.size(); ++group)
    if (!of_group[group].empty()) state.apply(job_of(PoolId(group), of_group[group], 0));
  return state;
}

std::vector<Assignment> decide(std::string_view policy, const ClusterSnapshot& cluster, std::uint64_t seed,
                               const PolicySettings& settings) {
  const CostModel costs = uniform_costs(cluster.zones.size(), UsdPerMebibyte(0));
  const Result<std::unique_ptr<Policy>> made = make_policy(policy, settings);
  if (!made) return {};
  Result<Plan> plan = (*made)->decide({cluster, costs, seed, {}, nullptr});
  return plan ? std::move(plan->assignments) : std::vector<Assignment>{};
}

std::vector<Assignment> decide_by_tasks(const ClusterSnapshot& cluster, std::uint64_t seed) {
  Random random(seed);
  const CostModel costs;
  std::vector<TaskId> tasks;
  for (const TaskId task : cluster.tasks.ids())
    if (cluster.tasks[task].state == TaskState::pending) tasks.push_back(task);
  random.shuffle(std::span(tasks));
  std::vector<NodeId> slots;
  std::vector<std::int32_t> left;
  for (const NodeId node : cluster.nodes.ids()) {
    left.push_back(cluster.free[node].slots);
    slots.insert(slots.end(), static_cast<std::size_t>(left.back()), node);
  }
  random.shuffle(std::span(slots));
  std::vector<Assignment> assignments;
  for (const TaskId task : tasks) {
    std::vector<NodeId> local;
    for (const Replica& replica : cluster.blocks[cluster.tasks[task].block].replicas)
      if (const NodeId node = cluster.stores[replica.store].node; left[node.index()] > 0) local.push_back(node);
    while (!slots.empty() && left[slots.back().index()] == 0) slots.pop_back();
    if (slots.empty()) break;
    const NodeId node = local.empty() ? slots.back() : local[random.below(local.size())];
    if (local.empty()) slots.pop_back();
    --left[node.index()];
    assignments.push_back({task, node, nearest_replica(cluster, costs, cluster.tasks[task].block, node).store, {}});
  }
  return assignments;
}

double local_share(const ClusterSnapshot& cluster, const std::vector<Assignment>& assignments) {
  const auto local = std::ranges::count_if(assignments, [&](const Assignment& assignment) {
    return assignment.read_from.valid() && cluster.stores[assignment.read_from].node == assignment.node;
  });
  return assignments.empty() ? 0 : static_cast<double>(local) / static_cast<double>(assignments.size());
}

DrawnCosts::DrawnCosts(const ClusterSnapshot& cluster, CostDraw draw, std::uint64_t seed)
    : nodes_(cluster.nodes.size()), cost_(cluster.tasks.size() * cluster.nodes.size(), 0) {
  Random random(seed);
  const CostModel costs;
  const auto on_rack = [&] { return std::max(0.0, random.normal(1, 0.5)); };
  const auto remote = [&] { return std::max(0.0, random.normal(4, 2)); };
  for (const TaskId task : cluster.tasks.ids()) {
    if (cluster.tasks[task].state != TaskState::pending) continue;
    double rack_cost = on_rack(), remote_cost = remote();
    for (const NodeId node : cluster.nodes.ids()) {
      const Locality level = nearest_replica(cluster, costs, cluster.tasks[task].block, node).locality;
      if (draw == CostDraw::per_pair) {
        rack_cost = on_rack();
        remote_cost = remote();
      }
      if (level != Locality::node)
        cost_[task.index() * nodes_ + node.index()] = level == Locality::rack ? rack_cost : remote_cost;
    }
  }
}

double DrawnCosts::sum(const std::vector<Assignment>& assignments) const {
  double total = 0;
  for (const Assignment& assignment : assignments) total += of(assignment.task, assignment.node);
  return total;
}

double DrawnCosts::least_sum(const ClusterSnapshot& cluster) const {
  std::vector<NodeId> slots;
  for (const NodeId node : cluster.nodes.ids())
    slots.insert(slots.end(), static_cast<std::size_t>(cluster.free[node].slots), node);
  std::vector<double> matrix;
  std::int32_t rows = 0;
  for (const TaskId task : cluster.tasks.ids()) {
    if (cluster.tasks[task].state != TaskState::pending) continue;
    ++rows;
    for (const NodeId node : slots) matrix.push_back(of(task, node));
  }
  return solver::solve_assignment(std::span<const double>(matrix), rows, static_cast<std::int32_t>(slots.size())).cost;
}

}  // namespace lips::experiments
