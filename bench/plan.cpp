// Whole plans on random snapshots: seconds by stage, what CheckedPolicy's check takes, and certified gap, beside one
// pass over the same tasks and nodes. bench_plan [--small | --rich | --huge]
#include <fmt/core.h>

#include <chrono>
#include <cstring>

#include "cmd/cli/wall_stopwatch.h"
#include "model/validate_plan.h"
#include "policies/registry/registry.h"
#include "simulation/random_snapshot.h"

namespace {

using namespace lips;

struct Case {
  const char* name;
  simulation::SnapshotShape shape;
};

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

void run(const Case& test) {
  const ClusterState state = simulation::random_cluster(test.shape);
  const CostModel costs = simulation::random_costs(test.shape);
  PolicySettings settings;
  settings.lips.horizon = test.shape.horizon;
  settings.lips.copy_columns = test.shape.share_of_jobs_sharing_data > 0;
  const WallStopwatch watch;
  const double pass = one_pass(state.snapshot(), watch);
  const auto policy = make_policy("lips", settings);
  const Result<Plan> plan = (*policy)->decide({state.snapshot(), costs, 1, {}, &watch});
  if (!plan) {
    fmt::print("{}: {}\n", test.name, plan.error().message);
    return;
  }
  const double planned = watch.seconds();
  const std::vector<std::string> problems = validate_plan(state.snapshot(), *plan);
  const double checking = watch.seconds() - planned;
  const PlanAccount& account = plan->account;
  const StageTimes& time = account.seconds;
  fmt::print(
      "{:<34} {:>7.3f} s = {:>6.0f} passes | group {:.3f} solve {:.3f} round {:.3f} pack {:.3f} places {:.3f} | check "
      "{:.4f} | {} {} "
      "commodities "
      "{} classes | assigned {} of {} | cost {:.4f} bound {:.4f} gap {:.4f} %\n",
      test.name, time.total, time.total / std::max(1e-9, pass), time.group, time.solve, time.round, time.pack,
      time.locality, checking, to_string(account.form), account.groups, account.classes, plan->assignments.size(),
      state.snapshot().pending_tasks, account.objective.value_or(Usd(0)).value(),
      account.lower_bound.value_or(Usd(0)).value(), 100 * account.gap);
  std::fflush(stdout);
  if (!problems.empty()) fmt::print("  invalid: {}\n", problems.front());
}

}  // namespace

int main(int argc, char** argv) {
  const bool small = argc > 1 && std::strcmp(argv[1], "--small") == 0;
  const bool rich_only = argc > 1 && std::strcmp(argv[1], "--rich") == 0;
  const bool huge_only = argc > 1 && std::strcmp(argv[1], "--huge") == 0;
  simulation::SnapshotShape base;
  base.nodes = 1000, base.tasks = 10000, base.classes = 60, base.zones = 3;
  std::vector<Case> cases{{"1,000 nodes / 10,000 tasks", base}};
  simulation::SnapshotShape rich = base;
  rich.memory = true, rich.share_of_jobs_with_selectors = 0.33, rich.pools = 20, rich.share_of_jobs_sharing_data = 0.3;
  cases.push_back({"the same, everything binds", rich});
  if (!small) {
    simulation::SnapshotShape large = base;
    large.nodes = 10000, large.tasks = 100000, large.classes = 240, large.zones = 6;
    cases.push_back({"10,000 nodes / 100,000 tasks", large});
    simulation::SnapshotShape huge = large;
    huge.nodes = 50000, huge.tasks = 1000000;
    cases.push_back({"50,000 nodes / 1,000,000 tasks", huge});
    simulation::SnapshotShape large_rich = large;
    large_rich.memory = true, large_rich.share_of_jobs_with_selectors = 0.33, large_rich.pools = 20;
    large_rich.share_of_jobs_sharing_data = 0.3;
    cases.push_back({"10,000 / 100,000, everything binds", large_rich});
  }
  for (const Case& test : cases)
    if ((!rich_only || test.shape.memory) && (!huge_only || test.shape.tasks == 1000000)) run(test);
}
