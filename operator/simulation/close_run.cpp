#include "simulation/close_run.h"

#include <utility>

namespace lips::simulation {

RunResult close_run(const Scenario& scenario, SimulatedCluster& cluster, RunMetrics& metrics, std::string policy_name,
                    std::optional<TimePoint> until) {
  const bool goes_on = until && cluster.jobs_finished() + cluster.jobs_failed() == cluster.jobs_total();
  if (goes_on) cluster.go_on_until(*until);
  cluster.close();
  RunResult result = metrics.finish(cluster.end_of_work(), goes_on ? *until : TimePoint{});
  result.scenario = scenario.name;
  result.policy = std::move(policy_name);
  result.seed = scenario.seed;
  result.events = cluster.events();
  result.stuck = cluster.stuck();
  result.endless = cluster.endless();
  return result;
}

}  // namespace lips::simulation
