// Section 4 of Guo, Fox and Zhou (MapReduce 2012): printed claims beside ours; then how long lsap takes on a large
// cluster.
//   bench_lsap [4.1] [4.2] [4.3] [4.4] [large] [--seeds N] [--nodes N]     all parts when none is named
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "bench/wall_stopwatch.h"
#include "experiments/guo.h"
#include "experiments/guo_scene.h"
#include "policies/registry.h"
#include "simulation/random_snapshot.h"

namespace {

using namespace lips;
using namespace lips::experiments;

void time_large(std::uint32_t nodes, double tasks_a_slot, const Stopwatch& stopwatch) {
  GuoShape shape;
  shape.nodes = nodes;
  shape.slots = 10;
  shape.idle = nodes * 10;
  shape.tasks = static_cast<std::uint32_t>(shape.idle * tasks_a_slot);
  shape.rack_size = 20;
  shape.group_weights = {1, 2, 4};
  const ClusterState state = guo_scene(shape, 1);
  PolicySettings racks;
  racks.lsap_rack_cost = 1;
  racks.lsap_zone_cost = racks.lsap_remote_cost = 4;
  for (const char* policy : {"lsap", "lsap-uniform", "lsap-fair"}) {
    const double begun = stopwatch.seconds();
    const auto assignments = decide(policy, state.snapshot(), 1, racks);
    std::printf("%u nodes x 10 slots, %u tasks, %s: %.3f s, %.2f %% local of %zu\n", nodes, shape.tasks, policy,
                stopwatch.seconds() - begun, 100 * local_share(state.snapshot(), assignments), assignments.size());
    std::fflush(stdout);
  }
}

// Heavy-tailed jobs of many sizes in three zones, half of the slots busy: what a real moment looks like.
void time_mixed(std::uint32_t nodes, std::uint32_t tasks, const Stopwatch& stopwatch) {
  simulation::SnapshotShape shape;
  shape.nodes = nodes;
  shape.tasks = tasks;
  shape.busy = 0.5;
  shape.share_of_jobs_with_shuffle = 0.3;
  const ClusterState state = simulation::random_cluster(shape);
  for (const char* policy : {"lsap", "lsap-uniform", "lsap-fair", "dl-sched"}) {
    const double begun = stopwatch.seconds();
    const auto assignments = decide(policy, state.snapshot(), 1);
    std::printf("%u nodes, %u mixed tasks, %s: %.3f s, %.2f %% local of %zu\n", nodes, tasks, policy,
                stopwatch.seconds() - begun, 100 * local_share(state.snapshot(), assignments), assignments.size());
    std::fflush(stdout);
  }
}

void print(const std::vector<Claim>& claims) {
  std::printf("%s\n", claims_table(claims).c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  GuoRun run;
  std::set<std::string> parts;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--seeds" && i + 1 < count)
      run.seeds = static_cast<std::uint32_t>(std::max(1, std::atoi(words[++i])));
    else if (word == "--nodes" && i + 1 < count)
      run.most_nodes = static_cast<std::uint32_t>(std::max(100, std::atoi(words[++i])));
    else
      parts.insert(word);
  }
  const auto wanted = [&](const char* part) { return parts.empty() || parts.contains(part); };
  const WallStopwatch stopwatch;
  if (wanted("4.1")) print(guo_solver_times(run, stopwatch));
  if (wanted("4.2")) print(guo_locality(run));
  if (wanted("4.3")) print(guo_locality_cost(run));
  if (wanted("4.4")) print(guo_fairness(run));
  if (wanted("large")) {
    for (const double tasks_a_slot : {1.0, 2.0}) time_large(10'000, tasks_a_slot, stopwatch);
    time_mixed(1000, 10'000, stopwatch);
    time_mixed(10'000, 100'000, stopwatch);
  }
}
