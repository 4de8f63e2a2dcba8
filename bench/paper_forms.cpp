// The LiPS program as printed, node by node, against the forms that this project solves: equal optimum, how much
// faster.
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "base/random.h"
#include "model/cluster_state.h"
#include "policies/papers/lips_paper/lips_paper.h"
#include "policies/papers/lips_paper/paper_model_snapshot.h"
#include "simulation/random_snapshot.h"

namespace {

using namespace lips;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Jobs of ten tasks; each job's blocks on one store, as O(i) of the paper. Four prices in each of three zones.
ClusterState one_store_a_job(int nodes, int jobs, std::uint64_t seed) {
  Random random(seed);
  ClusterSnapshot start;
  for (int z = 0; z < 3; ++z) start.zones.push_back({"zone"});
  start.profiles.push_back({});
  start.pools.push_back(Pool{.name = "default", .minimum = {}, .maximum = {}, .shortfall_price = {}});
  for (int n = 0; n < nodes; ++n) {
    Node node;
    node.zone = ZoneId(static_cast<std::uint32_t>(n % 3));
    node.profile = ProfileId(0);
    node.capacity = {Cores(4), Mebibytes(16384), 4};
    node.cpu_price = UsdPerCpuSecond(1e-5 * (1 + n / 3 % 4) + 1e-6 * (n % 3));
    const NodeId id = start.nodes.push_back(node);
    DataStore store;
    store.zone = node.zone;
    store.node = id;
    start.stores.push_back(store);
  }
  const double rates[] = {20, 37, 75, 90};
  std::vector<JobArrived> arrivals;
  for (int j = 0; j < jobs; ++j) {
    DataSet data_set;
    data_set.first_block = BlockId(static_cast<std::uint32_t>(start.blocks.size()));
    data_set.blocks = 10;
    const DataSetId id = start.data_sets.push_back(data_set);
    const StoreId store(static_cast<std::uint32_t>(random.below(nodes)));
    const double rate = rates[random.below(4)];
    JobArrived arrived;
    arrived.job.pool = PoolId(0);
    arrived.job.request = {Cores(1), Mebibytes(512), 1};
    arrived.job.map_tasks = 10;
    for (std::uint32_t t = 0; t < 10; ++t) {
      start.blocks.push_back({id, Mebibytes(64), {}, {{store, false, {}}}});
      Task task;
      task.block = BlockId(data_set.first_block.index() + t);
      task.input = Mebibytes(64);
      task.cpu = CpuSeconds(rate);
      arrived.tasks.push_back(task);
    }
    arrivals.push_back(std::move(arrived));
  }
  ClusterState state(std::move(start));
  for (const JobArrived& arrived : arrivals) state.apply(arrived);
  return state;
}

struct Timed {
  double seconds = 0, objective = 0;
};

Timed solve_as(const char* name, const paper::Instance& instance, const paper::Options& options, int times) {
  Timed timed;
  const double begin = now();
  Result<paper::Solution> solution = paper::Solution{};
  for (int i = 0; i < times; ++i) solution = paper::solve(instance, options);
  timed.seconds = (now() - begin) / times;
  if (!solution) {
    fmt::print("{:<44} failed: {}\n", name, solution.error().message);
    return timed;
  }
  timed.objective = solution->objective.value();
  fmt::print("{:<44}{:>10}{:>10}{:>13.9f}{:>11.1e}{:>12.5f}\n", name, solution->rows, solution->columns,
             timed.objective, solution->gap(), timed.seconds);
  return timed;
}

void compare_forms(int nodes, int jobs) {
  const ClusterState state = one_store_a_job(nodes, jobs, 1);
  const CostModel costs = uniform_costs(3, usd_per_gigabyte(0.01));
  const Duration epoch = std::chrono::seconds(600);
  const paper::SnapshotInstance by_node = paper::paper_instance(state.snapshot(), costs, epoch);
  const paper::SnapshotInstance by_class =
      paper::paper_instance(state.snapshot(), costs, epoch, paper::Granularity::classes);
  paper::Options whole;
  whole.reduce = false;
  fmt::print("\n{} jobs, {} nodes\n{:<44}{:>10}{:>10}{:>13}{:>11}{:>12}\n", jobs, nodes, "form", "rows", "columns",
             "objective", "gap", "seconds");
  const Timed printed = solve_as("Fig. 4 as printed, node level", by_node.instance, whole, 1);
  paper::Options unpooled;
  unpooled.pool = false;
  const Timed reduced = solve_as("node level, exact reductions", by_node.instance, unpooled, 3);
  const Timed classes = solve_as("class form", by_class.instance, unpooled, 100);
  const Timed zones = solve_as("zone form (places pooled)", by_class.instance, {}, 100);
  fmt::print(
      "faster than as printed: reduced nodes {:.0f} x, class form {:.0f} x, zone form {:.0f} x; optima differ by "
      "{:.1e}\n",
      printed.seconds / reduced.seconds, printed.seconds / classes.seconds, printed.seconds / zones.seconds,
      std::max(std::abs(printed.objective - classes.objective), std::abs(printed.objective - zones.objective)) /
          printed.objective);
}

void time_policy(std::uint32_t tasks, double sharing) {
  simulation::SnapshotShape shape;
  shape.tasks = tasks;
  shape.jobs = tasks / 25;
  shape.busy = 0.6;
  shape.share_of_jobs_sharing_data = sharing;
  const ClusterState state = simulation::random_cluster(shape);
  const CostModel costs = simulation::random_costs(shape);
  const std::unique_ptr<Policy> policy = make_lips_paper({});
  const double begin = now();
  const int times = 5;
  Result<Plan> plan = Plan{};
  for (int i = 0; i < times; ++i) plan = policy->decide({.cluster = state.snapshot(), .costs = costs, .reporting = {}});
  if (plan)
    fmt::print(
        "{:>7} tasks {:>5} jobs {:>3.0f} % share data: {:.4f} s, {} groups, {} columns, {} moves, gap {:.2f} %\n",
        tasks, shape.jobs, 100 * sharing, (now() - begin) / times, plan->account.groups, plan->account.columns,
        plan->moves.size(), 100 * plan->account.gap);
}

}  // namespace

int main() {
  compare_forms(20, 50);
  compare_forms(50, 200);
  fmt::print("\nlips-paper, one plan, 100 nodes\n");
  for (std::uint32_t tasks : {1000U, 5000U, 20000U})
    for (double sharing : {0.0, 0.3}) time_policy(tasks, sharing);
}
