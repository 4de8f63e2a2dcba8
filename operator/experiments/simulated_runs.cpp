#include "experiments/simulated_runs.h"

#include <fmt/format.h>

#include "bounds/lower_bound.h"
#include "policies/registry.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"
#include "simulation/whole_run.h"

namespace lips::experiments {

std::string SimulatedRun::key() const {
  std::string key = scenario + " " + policy;
  for (const auto& [path, value] : set) key += " " + path + "=" + value;
  return key;
}

const SimulatedOutcome* SimulatedRuns::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  return found == known_.end() ? nullptr : &found->second;
}

void SimulatedRuns::keep(const std::string& key, SimulatedOutcome outcome) {
  const std::lock_guard lock(mutex_);
  known_.insert_or_assign(key, std::move(outcome));
}

Result<simulation::Scenario> scenario_of(const ExperimentRun& run, const SimulatedRun& simulated) {
  simulation::ScenarioOptions options;
  options.config_folder = run.config_folder;
  options.set = simulated.set;
  const Result<std::string> path = simulation::find_scenario(simulated.scenario, options);
  if (!path) return tl::unexpected(path.error());
  return simulation::read_scenario(*path, options);
}

namespace {

Result<SimulatedOutcome> simulate_one(const ExperimentRun& run, const SimulatedRun& simulated, bool with_bound) {
  const Result<simulation::Scenario> scenario = scenario_of(run, simulated);
  if (!scenario) return tl::unexpected(scenario.error());
  const Result<std::unique_ptr<Policy>> policy = make_policy(simulated.policy, scenario->settings);
  if (!policy) return tl::unexpected(policy.error());
  simulation::RunOptions options;
  options.stop = run.stop;
  options.stopwatch = run.stopwatch;
  Result<simulation::RunResult> result = simulation::run(*scenario, **policy, simulated.policy, options);
  if (!result) return tl::unexpected(result.error());
  if (result->stopped) return fail(ErrorCode::cancelled, "interrupted");
  if (result->jobs_finished < result->jobs)
    return fail(ErrorCode::internal, fmt::format("{} on {} finished {} of {} jobs", simulated.policy, scenario->name,
                                                 result->jobs_finished, result->jobs));
  SimulatedOutcome outcome{std::move(*result), 0};
  outcome.run.busy.clear();
  if (with_bound) {
    const Result<LowerBound> bound = least_dollars(simulation::whole_run(*scenario), outcome.run.makespan);
    if (!bound) return tl::unexpected(bound.error());
    outcome.bound = bound->dollars.value();
  }
  return outcome;
}

}  // namespace

Result<std::vector<SimulatedOutcome>> simulate(const ExperimentRun& run, const std::vector<SimulatedRun>& simulated,
                                               bool with_bound) {
  std::vector<Result<SimulatedOutcome>> outcomes(simulated.size(), fail(ErrorCode::cancelled, "interrupted"));
  const Result<void> ran = each_piece(run, simulated.size(), [&](std::size_t index) {
    const std::string key = simulated[index].key();
    const SimulatedOutcome* known = run.simulated ? run.simulated->find(key) : nullptr;
    if (known != nullptr && (known->bound > 0 || !with_bound)) {
      outcomes[index] = *known;
      return;
    }
    outcomes[index] = simulate_one(run, simulated[index], with_bound);
    if (outcomes[index] && run.simulated) run.simulated->keep(key, *outcomes[index]);
  });
  if (!ran) return tl::unexpected(ran.error());
  std::vector<SimulatedOutcome> all;
  for (Result<SimulatedOutcome>& outcome : outcomes) {
    if (!outcome) return tl::unexpected(outcome.error());
    all.push_back(std::move(*outcome));
  }
  return all;
}

}  // namespace lips::experiments
