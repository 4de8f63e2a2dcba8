// Whole simulated runs that several figures are drawn from: each is run once. Knows no paper.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "experiments/experiment.h"
#include "simulation/run_result.h"
#include "simulation/scenario.h"

namespace lips::experiments {

// One run: a shipped scenario, what is changed in it, a policy.
struct SimulatedRun {
  std::string scenario;
  std::vector<std::pair<std::string, std::string>> set;  // field paths and values, as of --set
  std::string policy;
  std::string key() const;
};

struct SimulatedOutcome {
  simulation::RunResult run;
  double bound = 0;  // least dollars of any schedule within the run's makespan; 0: not asked for
};

class SimulatedRuns {
 public:
  const SimulatedOutcome* find(const std::string& key) const;
  void keep(const std::string& key, SimulatedOutcome outcome);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, SimulatedOutcome> known_;  // references stay valid
};

// The scenario with its changes.
Result<simulation::Scenario> scenario_of(const ExperimentRun& run, const SimulatedRun& simulated);

// All of them, in order; those that are known are not run again. An error when a policy fails or jobs stay unfinished.
Result<std::vector<SimulatedOutcome>> simulate(const ExperimentRun& run, const std::vector<SimulatedRun>& simulated,
                                               bool with_bound = false);

}  // namespace lips::experiments
