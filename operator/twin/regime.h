// Simulates a recorded day under one regime: LiPS with some settings, another policy, or kube-scheduler.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "policies/policy.h"
#include "simulation/run.h"
#include "twin/recorded_scenario.h"

namespace lips::twin {

// Runs a scenario under kube-scheduler and the autoscaler alone; none: the policy of that name stands for no
// kube-scheduler. invalid_input: the scenario has what it cannot run.
using RunKubeScheduler = std::function<std::optional<Result<simulation::RunResult>>(
    const simulation::Scenario& scenario, const std::string& policy, const simulation::RunOptions& options)>;

struct RegimeRun {
  simulation::RunResult result;
  std::string stood_in;  // why the policy stood in for kube-scheduler; empty: it did not
};

// `alone` empty: policies of the simulator stand in for kube-scheduler. On days on which LiPS itself bound the pods by
// a policy, the twin of what ran is that policy.
Result<RegimeRun> run_regime(const RecordedDay& day, const Policy& policy, const std::string& name,
                             const simulation::RunOptions& options, const RunKubeScheduler& alone);

// The fact that a policy stood in for kube-scheduler, among those that a journal does not have.
simulation::Assumption stand_in(const std::string& why);

}  // namespace lips::twin
