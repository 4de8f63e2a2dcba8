// How long lsap takes on a large cluster. Section 4 of Guo, Fox and Zhou (MapReduce 2012) is `lips experiment guo`.
#include <cstdio>

#include "cmd/cli/wall_stopwatch.h"
#include "experiments/guo_setup.h"
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
  const ClusterState state = guo_setup(shape, 1);
  PolicySettings racks;
  racks.lsap.rack_cost = 1;
  racks.lsap.zone_cost = racks.lsap.remote_cost = 4;
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

}  // namespace

int main() {
  const WallStopwatch stopwatch;
  for (const double tasks_a_slot : {1.0, 2.0}) time_large(10'000, tasks_a_slot, stopwatch);
  time_mixed(1000, 10'000, stopwatch);
  time_mixed(10'000, 100'000, stopwatch);
}
