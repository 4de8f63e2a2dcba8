// The end of a run, whoever made the plans: cuts off what is under way, and says what the run was.
#pragma once

#include <optional>
#include <string>

#include "simulation/metrics.h"
#include "simulation/run_result.h"
#include "simulation/scenario.h"
#include "simulation/simulated_cluster.h"

namespace lips::simulation {

// `until`: where all jobs have ended before, time goes on and nodes are billed until then. The caller says whether the
// run was stopped, and fills in plans and targets.
RunResult close_run(const Scenario& scenario, SimulatedCluster& cluster, RunMetrics& metrics, std::string policy_name,
                    std::optional<TimePoint> until = std::nullopt);

}  // namespace lips::simulation
