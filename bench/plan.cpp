// Whole plans on random snapshots: seconds by stage, what CheckedPolicy's check takes, and certified gap, beside one
// pass over the same tasks and nodes. bench_plan [--small | --rich | --large | --huge | --fleet |
// --zones | --pools] [--only TEXT] [--events] [--due] [--again]
// --fleet: plans without a horizon, beside an autoscaler that may launch 17 types, all of the price sheet, or nothing.
// --zones: 3 to 30 zones where everything binds, and 2,000 classes of nodes.
// --pools: 5 pools that compete, and 500.
// --only: the cases that have the text in their names.
// --events: plans of what can start now, as the operator makes them after events; else of a whole horizon.
// --due: a tenth of the jobs is due, from overdue to ten hours from now. Such plans are of what can start now.
// --again: after the first plan, one task in a hundred and one node in a hundred change and the plan is made anew, five
// times.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/random.h"
#include "cmd/cli/wall_stopwatch.h"
#include "config/price_sheet.h"
#include "model/validate_plan.h"
#include "policies/registry/registry.h"
#include "simulation/random_snapshot.h"

namespace {

using namespace lips;

struct Case {
  const char* name;
  simulation::SnapshotShape shape;
  bool horizon = true;
};

// The types of the sheet's first region, a part of them evenly over their names.
std::vector<simulation::OfferedType> types_of_the_sheet(std::size_t most) {
  const Result<PriceSheet> sheet = read_price_sheet(*find_config_folder());
  if (!sheet) return {};
  std::vector<simulation::OfferedType> types;
  for (const std::string_view name : sheet->instance_types("us-east-1"))
    if (const InstanceOffer* found = sheet->find("us-east-1", name); found && found->vcpu.value() > 0)
      types.push_back({{found->vcpu, found->memory, 110}, found->price});
  const std::size_t all = types.size();
  if (all <= most) return types;
  for (std::size_t i = 0; i < most; ++i) types[i] = types[i * all / most];
  types.resize(most);
  return types;
}

// The least that any planner has to do: look at every pending task and every node once.
double one_pass(const ClusterSnapshot& cluster, const WallStopwatch& watch) {
  const double started = watch.seconds();
  double sum = 0;
  for (JobId job : cluster.pending)
    for (const TaskGroup& group : cluster.groups[job])
      for (TaskId task : cluster.tasks_of(group)) sum += cluster.tasks[task].cpu.value();
  for (NodeId node : cluster.nodes.ids()) sum += cluster.free[node].cpu.value();
  const double seconds = watch.seconds() - started;
  return sum > 0 ? seconds : 0;
}

// One task in a hundred starts, ends or arrives, and on one node in a hundred others use more or less.
void change(ClusterState& state, const Plan& plan, Random& random) {
  const ClusterSnapshot& cluster = state.snapshot();
  const std::uint64_t changed = cluster.pending_tasks / 100;
  state.advance(cluster.now + std::chrono::seconds(1));
  std::uint64_t started = 0, arrived = 0;
  for (const Assignment& assignment : plan.assignments) {
    if (started == changed / 2) break;
    if (!state.assume(assignment)) continue;
    state.apply(TaskStarted{assignment.task, assignment.node});
    ++started;
  }
  for (std::uint64_t ended = 0; ended < changed / 4 && !cluster.running.empty(); ++ended) {
    const RunningTask run = cluster.running[random.below(cluster.running.size())];
    state.apply(TaskFinished{run.task, run.node});
  }
  while (arrived < changed / 4) {  // jobs like those that wait, of another length
    const Job& like = cluster.jobs[cluster.pending[random.below(cluster.pending.size())]];
    if (like.map_tasks == 0 || like.map_tasks > changed) continue;
    JobArrived event;
    event.job.name = "again", event.job.pool = like.pool, event.job.arrival = cluster.now;
    event.job.constraint = like.constraint, event.job.request = like.request, event.job.inputs = like.inputs;
    event.job.map_tasks = like.map_tasks;
    const double longer = random.uniform(0.5, 2);
    for (std::uint32_t i = 0; i < like.map_tasks; ++i) {
      event.tasks.push_back(cluster.tasks[TaskId(like.first_task.index() + i)]);
      event.tasks.back().cpu *= longer;
    }
    arrived += like.map_tasks;
    state.apply(event);
  }
  for (std::size_t i = 0; i < cluster.nodes.size() / 100; ++i) {
    const NodeId node(static_cast<std::uint32_t>(random.below(cluster.nodes.size())));
    Node now = cluster.nodes[node];
    now.others.cpu = Cores(random.uniform(0, 0.5));
    state.apply(NodeChanged{node, now});
  }
}

void print(const Case& test, const ClusterState& state, const Plan& plan, double pass, double checking) {
  const PlanAccount& account = plan.account;
  const StageTimes& time = account.seconds;
  fmt::print(
      "{:<34} {:>7.3f} s = {:>6.0f} passes | group {:.3f} solve {:.3f} round {:.3f} pack {:.3f} places {:.3f} | check "
      "{:.4f} | {} {} "
      "commodities "
      "{} classes | assigned {} of {} | cost {:.4f} bound {:.4f} gap {:.4f} %\n",
      test.name, time.total, time.total / std::max(1e-9, pass), time.group, time.solve, time.round, time.pack,
      time.locality, checking, to_string(account.form), account.groups, account.classes, plan.assignments.size(),
      state.snapshot().pending_tasks, account.objective.value_or(Usd(0)).value(),
      account.lower_bound.value_or(Usd(0)).value(), 100 * account.gap);
  std::fflush(stdout);
}

constexpr int plans_again = 5;

ClusterSnapshot with_deadlines(ClusterSnapshot cluster) {
  Random random(1);
  for (Job& job : cluster.jobs)
    if (random.below(10) == 0) job.due.complete_by = cluster.now + seconds(random.uniform(-3600, 36'000));
  return cluster;
}

void run_due(const Case& test) {
  const ClusterState state = simulation::random_cluster(test.shape);
  const ClusterSnapshot cluster = with_deadlines(state.snapshot());
  const WallStopwatch watch;
  const double pass = one_pass(cluster, watch);
  const Result<Plan> plan =
      (*make_policy("lips", {}))->decide({cluster, simulation::random_costs(test.shape), 1, {}, &watch});
  if (plan) print(test, state, *plan, pass, 0);
}

void run(const Case& test, bool again) {
  ClusterState state = simulation::random_cluster(test.shape);
  const CostModel costs = simulation::random_costs(test.shape);
  PolicySettings settings;
  if (test.horizon) settings.lips.horizon = test.shape.horizon;
  settings.lips.copy_columns = test.shape.share_of_jobs_sharing_data > 0;
  const WallStopwatch watch;
  const double pass = one_pass(state.snapshot(), watch);
  const auto policy = make_policy("lips", settings);
  Random random(test.shape.seed);
  double first = 0, least = 1e300, most = 0;
  for (int made = 0; made <= (again ? plans_again : 0); ++made) {
    const double began = watch.seconds();
    const Result<Plan> plan = (*policy)->decide({state.snapshot(), costs, 1, {}, &watch});
    const double planned = watch.seconds();
    if (!plan) return fmt::print("{}: {}\n", test.name, plan.error().message);
    const std::vector<std::string> problems = validate_plan(state.snapshot(), *plan);
    print(test, state, *plan, pass, watch.seconds() - planned);
    if (!problems.empty()) fmt::print("  invalid: {}\n", problems.front());
    if (made == 0) first = planned - began;
    if (made > 0) least = std::min(least, planned - began), most = std::max(most, planned - began);
    if (made < plans_again && again) change(state, *plan, random);
  }
  if (again)
    fmt::print("  first plan {:.3f} s, plans after 1 % changed {:.3f} to {:.3f} s = {:.0f} to {:.0f} passes\n", first,
               least, most, least / std::max(1e-9, pass), most / std::max(1e-9, pass));
}

std::vector<Case> with_fleets(simulation::SnapshotShape shape) {
  shape.nodes = 10000, shape.tasks = 100000, shape.classes = 240;
  std::vector<Case> cases{{"10,000 / 100,000, no horizon", shape, false}};
  shape.offers = true;
  shape.offered_types = types_of_the_sheet(17);
  cases.push_back({"the same, 17 types to launch", shape, false});
  shape.offered_types = types_of_the_sheet(10'000);
  cases.push_back({"the same, every type to launch", shape, false});
  return cases;
}

// Memory, selectors, pools and shared data bind.
simulation::SnapshotShape binding(simulation::SnapshotShape shape) {
  shape.memory = true, shape.share_of_jobs_with_selectors = 0.33, shape.pools = 20;
  shape.share_of_jobs_sharing_data = 0.3;
  return shape;
}

std::vector<Case> with_zones(simulation::SnapshotShape shape) {
  shape.nodes = 10000, shape.tasks = 100000, shape.classes = 240;
  std::vector<Case> cases;
  const auto add = [&](const char* name, std::uint32_t zones) {
    shape.zones = zones;
    cases.push_back({name, binding(shape)});
  };
  add("everything binds, 3 zones", 3);
  add("everything binds, 6 zones", 6);
  add("everything binds, 12 zones", 12);
  add("everything binds, 30 zones", 30);
  shape.classes = 2000;
  add("everything binds, 2,000 classes", 6);
  return cases;
}

std::vector<Case> with_pools(simulation::SnapshotShape shape) {
  shape.nodes = 10000, shape.tasks = 100000, shape.classes = 240, shape.jobs = 5000;
  std::vector<Case> cases;
  shape.pools = 5;
  cases.push_back({"10,000 / 100,000, 5 pools", shape});
  shape.pools = 500;
  cases.push_back({"10,000 / 100,000, 500 pools", shape});
  for (Case& each : cases) each.shape.memory = true, each.shape.pool_limits = true;
  shape.pools = 5;
  cases.push_back({"10,000 / 100,000, 5 pools, no limits", shape});
  shape.pools = 500;
  cases.push_back({"10,000 / 100,000, 500 pools, no limits", shape});
  return cases;
}

}  // namespace

int main(int argc, char** argv) {
  const auto has = [&](const char* word) {
    return std::any_of(argv + 1, argv + argc, [&](const char* given) { return std::strcmp(given, word) == 0; });
  };
  const bool small = has("--small"), rich_only = has("--rich"), large_only = has("--large"), huge_only = has("--huge"),
             fleet_only = has("--fleet");
  simulation::SnapshotShape base;
  base.nodes = 1000, base.tasks = 10000, base.classes = 60, base.zones = 3;
  std::vector<Case> cases{{"1,000 nodes / 10,000 tasks", base}};
  cases.push_back({"the same, everything binds", binding(base)});
  if (!small) {
    simulation::SnapshotShape large = base;
    large.nodes = 10000, large.tasks = 100000, large.classes = 240, large.zones = 6;
    cases.push_back({"10,000 nodes / 100,000 tasks", large});
    simulation::SnapshotShape huge = large;
    huge.nodes = 50000, huge.tasks = 1000000;
    cases.push_back({"50,000 nodes / 1,000,000 tasks", huge});
    cases.push_back({"10,000 / 100,000, everything binds", binding(large)});
  }
  if (fleet_only) cases = with_fleets(base);
  if (has("--zones")) cases = with_zones(base);
  if (has("--pools")) cases = with_pools(base);
  for (Case& test : cases) test.horizon &= !has("--events");
  if (const auto only = std::find(argv + 1, argv + argc, std::string_view("--only")); argv + argc - only > 1)
    std::erase_if(cases, [&](const Case& test) { return !std::strstr(test.name, only[1]); });
  for (const Case& test : cases)
    if ((!rich_only || test.shape.memory) && (!huge_only || test.shape.tasks == 1000000) &&
        (!large_only || (test.shape.tasks == 100000 && !test.shape.memory)))
      has("--due") ? run_due(test) : run(test, has("--again"));
}
