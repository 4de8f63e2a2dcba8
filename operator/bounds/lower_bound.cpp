#include "bounds/lower_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "model/cluster_state.h"
#include "solver/certificate.h"
#include "solver/clp_backend.h"

namespace lips {

namespace {

// Nodes of equal price to every task, with their total capacity.
struct NodeClass {
  NodeId first;
  ZoneId zone;
  double price = 0;
  double work = 0;          // in the horizon
  double slot_seconds = 0;  // in the horizon
};

// Work that costs the same as other work with this key, wherever it runs.
struct WorkKey {
  std::uint64_t zones = 0;  // with the input at the start
  bool shared = false;      // the input has other readers
  int ratio = 0;            // input per work as a step of the scale below, or no_input
  Resources request;
  ConstraintId constraint;
  friend auto operator<=>(const WorkKey&, const WorkKey&) = default;
};
constexpr int no_input = -1000000;
constexpr double ratio_step = 1.02;

std::vector<NodeClass> classes_of(const ClusterSnapshot& cluster, double horizon) {
  std::map<std::tuple<ZoneId, double, double, ProfileId, Resources>, NodeClass> found;
  for (NodeId id : cluster.nodes.ids()) {
    const Node& node = cluster.nodes[id];
    if (!node.schedulable) continue;
    NodeClass& entry = found[{node.zone, node.cpu_price.value(), node.speed, node.profile, node.capacity}];
    if (!entry.first.valid()) entry.first = id;
    entry.zone = node.zone;
    entry.price = node.cpu_price.value();
    entry.work += node.capacity.cpu.value() * node.speed * horizon;
    entry.slot_seconds += node.capacity.slots * horizon;
  }
  std::vector<NodeClass> classes;
  for (const auto& [key, entry] : found) classes.push_back(entry);
  return classes;
}

// Rounds ratios down, which can only lower the bound.
std::map<WorkKey, double> work_of(const WholeRun& run) {
  const ClusterSnapshot& cluster = run.cluster;
  std::vector<std::uint32_t> readers(cluster.blocks.size(), 0);
  for (const JobArrived& arrival : run.jobs)
    for (const Task& task : arrival.tasks)
      if (task.block.valid()) ++readers[task.block.index()];
  std::map<WorkKey, double> work;
  std::size_t next = 0;
  for (const JobArrived& arrival : run.jobs) {
    for (const Task& task : arrival.tasks) {
      const double amount = run.work[next++].value();
      if (amount <= 0) continue;
      WorkKey key;
      key.request = arrival.job.request;
      key.constraint = arrival.job.constraint;
      key.ratio = no_input;
      if (task.block.valid() && task.input.value() > 0) {
        for (const Replica& replica : cluster.blocks[task.block].replicas)
          key.zones |= std::uint64_t{1} << cluster.stores[replica.store].zone.index();
        const std::uint32_t sharing = readers[task.block.index()];
        key.shared = sharing > 1;
        const double ratio = task.input.value() / sharing / amount;
        key.ratio = static_cast<int>(std::floor(std::log(ratio) / std::log(ratio_step)));
      }
      work[key] += amount;
    }
  }
  return work;
}

// The cheapest path between any two zones, through others where that is cheaper.
std::vector<std::vector<double>> cheapest_ways(const CostModel& costs, std::size_t zones) {
  std::vector<std::vector<double>> way(zones, std::vector<double>(zones, 0));
  for (std::uint32_t a = 0; a < zones; ++a)
    for (std::uint32_t b = 0; b < zones; ++b)
      if (a != b) way[a][b] = costs.transfer(ZoneId(a), ZoneId(b)).value();
  for (std::size_t via = 0; via < zones; ++via)
    for (std::size_t a = 0; a < zones; ++a)
      for (std::size_t b = 0; b < zones; ++b) way[a][b] = std::min(way[a][b], way[a][via] + way[via][b]);
  return way;
}

// Transfer dollars per unit of work done in that zone. An input with one reader takes the cheapest path. An input with
// several readers may be copied once and kept: each zone that it enters pays at least the cheapest last hop, and the
// readers there share it. So each reader is charged its share as if all readers were there.
double transfer_of(const WorkKey& key, ZoneId to, const std::vector<std::vector<double>>& way) {
  if (key.ratio == no_input || key.zones == 0 || ((key.zones >> to.index()) & 1)) return 0;
  double least = 1e300;
  for (std::size_t from = 0; from < way.size(); ++from)
    if (from != to.index() && (key.shared || ((key.zones >> from) & 1))) least = std::min(least, way[from][to.index()]);
  return least >= 1e300 ? 0 : least * std::pow(ratio_step, key.ratio);
}

bool may_run(const ClusterSnapshot& cluster, const WorkKey& key, const NodeClass& node_class) {
  return fits(key.request, cluster.nodes[node_class.first].capacity) &&
         cluster.eligible(key.constraint, node_class.first);
}

}  // namespace

Result<LowerBound> least_dollars(const WholeRun& run, Duration horizon) {
  ClusterSnapshot cluster = run.cluster;
  derive(cluster);
  const std::vector<NodeClass> classes = classes_of(cluster, to_seconds(horizon));
  const std::map<WorkKey, double> work = work_of(run);
  const auto way = cheapest_ways(run.costs, cluster.zones.size());

  // Amounts are fractions of all work; dollars are fractions of the cost of all work at the highest price.
  double total = 0, dearest = 0;
  for (const auto& [key, amount] : work) total += amount;
  for (const NodeClass& node_class : classes) dearest = std::max(dearest, node_class.price);
  if (total <= 0) return LowerBound{};
  const double scale = std::max(dearest, 1e-12);

  solver::LinearProgram program;
  for (const auto& [key, amount] : work) program.add_row(amount / total, amount / total);
  const std::int32_t first_class = program.rows();
  for (const NodeClass& node_class : classes) {
    program.add_row(-solver::infinity, node_class.work / total);
    program.add_row(-solver::infinity, node_class.slot_seconds / total);
  }
  std::int32_t row = 0;
  for (const auto& [key, amount] : work) {
    for (std::size_t c = 0; c < classes.size(); ++c) {
      if (!may_run(cluster, key, classes[c])) continue;
      const double cost = (classes[c].price + transfer_of(key, classes[c].zone, way)) / scale;
      const double pace = key.request.cpu.value() * cluster.nodes[classes[c].first].speed;
      const double slots = pace > 0 ? key.request.slots / pace : 0;
      const std::int32_t class_row = first_class + 2 * static_cast<std::int32_t>(c);
      const solver::Entry entries[] = {{row, 1}, {class_row, 1}, {class_row + 1, slots}};
      program.add_column(cost, 0, amount / total, entries);
    }
    ++row;
  }
  const solver::LpSolution solution = solver::solve(program);
  if (solution.status == solver::LpStatus::infeasible)
    return fail(ErrorCode::invalid_input,
                fmt::format("the cluster cannot do the work of all jobs within {:.0f} s", to_seconds(horizon)));
  if (solution.status != solver::LpStatus::optimal)
    return fail(ErrorCode::internal, "the bound's program was not solved");
  const solver::Certificate certificate = solver::certify(program, solution.primal, solution.row_dual);
  LowerBound bound;
  bound.dollars = Usd(std::max(0.0, certificate.lower_bound * total * scale));
  bound.solver_optimum = Usd(solution.objective * total * scale);
  bound.groups = work.size();
  bound.classes = classes.size();
  return bound;
}

}  // namespace lips
