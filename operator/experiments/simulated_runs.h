// Whole simulated runs that several figures share: each is run once. Knows no paper.
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

// One run: a shipped scenario, the changes to it, a policy.
struct SimulatedRun {
  std::string scenario;
  std::vector<std::pair<std::string, std::string>> set;  // field paths and values, as of --set
  std::string policy;
  std::string key() const;
};

struct SimulatedOutcome {
  simulation::RunResult run;
  std::vector<double>
      node_work;  // by node: the work that its slots could have done while they were taken; at most 40 nodes
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

// The outcomes of all runs, in order; known ones are not run again. An error if a policy fails or jobs stay unfinished.
Result<std::vector<SimulatedOutcome>> simulate(const ExperimentRun& run, const std::vector<SimulatedRun>& simulated);

// By variant, then by seed 1, 2, ...: each variant with every seed of the run.
using Variants = std::vector<SimulatedRun>;
Result<std::vector<std::vector<SimulatedOutcome>>> simulate_seeds(const ExperimentRun& run, const Variants& variants);

// The lower bound on any schedule of the scenario, however long it may take, by seed.
Result<std::vector<double>> least_dollars_by_seed(const ExperimentRun& run, const SimulatedRun& simulated);

double dollars(const SimulatedOutcome& outcome);
// figure(outcome) over the seeds.
Spread spread_of(const std::vector<SimulatedOutcome>& seeds, double (*figure)(const SimulatedOutcome&));
// By how many per cent `less` is below `than`, seed by seed.
Spread percent_below(const std::vector<double>& less, const std::vector<double>& than);
std::vector<double> figures_of(const std::vector<SimulatedOutcome>& seeds, double (*figure)(const SimulatedOutcome&));

}  // namespace lips::experiments
