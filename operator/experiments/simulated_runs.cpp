#include "experiments/simulated_runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "bounds/lower_bound.h"
#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"
#include "simulation/whole_run.h"

namespace lips::experiments {

std::string SimulatedRun::key() const {
  std::string key = fmt::format("{} {}", scenario, policy);
  for (const auto& [path, value] : set) key += fmt::format(" {}={}", path, value);
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
  options.set.emplace(options.set.begin(), "billing", "use");  // as the papers count
  const Result<std::string> path = simulation::find_scenario(simulated.scenario, options);
  if (!path) return tl::unexpected(path.error());
  return simulation::read_scenario(*path, options);
}

namespace {

Result<SimulatedOutcome> simulate_one(const ExperimentRun& run, const SimulatedRun& simulated) {
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
  SimulatedOutcome outcome{std::move(*result), {}};
  if (!outcome.run.busy.empty()) {
    outcome.node_work.resize(scenario->cluster.nodes.size(), 0);
    for (const simulation::BusyInterval& busy : outcome.run.busy)
      outcome.node_work[busy.node.index()] +=
          to_seconds(busy.end - busy.start) * scenario->cluster.nodes[busy.node].speed;
  }
  outcome.run.busy = {};
  outcome.run.utilisation = {};
  outcome.run.fairness = {};
  return outcome;
}

SimulatedRun with_seed(SimulatedRun simulated, std::size_t seed) {
  simulated.set.emplace_back("seed", fmt::format("{}", seed));
  return simulated;
}

// One result from the results of all pieces.
template <class Value>
Result<std::vector<Value>> all_of(std::vector<Result<Value>>& results) {
  std::vector<Value> all;
  for (Result<Value>& result : results) {
    if (!result) return tl::unexpected(result.error());
    all.push_back(std::move(*result));
  }
  return all;
}

}  // namespace

Result<std::vector<SimulatedOutcome>> simulate(const ExperimentRun& run, const std::vector<SimulatedRun>& simulated) {
  std::vector<Result<SimulatedOutcome>> outcomes(simulated.size(), fail(ErrorCode::cancelled, "interrupted"));
  const Result<void> ran = each_piece(run, simulated.size(), [&](std::size_t index) {
    const std::string key = simulated[index].key();
    if (const SimulatedOutcome* known = run.simulated ? run.simulated->find(key) : nullptr) {
      outcomes[index] = *known;
      return;
    }
    outcomes[index] = simulate_one(run, simulated[index]);
    if (outcomes[index] && run.simulated) run.simulated->keep(key, *outcomes[index]);
  });
  if (!ran) return tl::unexpected(ran.error());
  return all_of(outcomes);
}

Result<std::vector<std::vector<SimulatedOutcome>>> simulate_seeds(const ExperimentRun& run, const Variants& variants) {
  const std::size_t seeds = std::max(1u, run.seeds);
  std::vector<SimulatedRun> runs;
  for (const SimulatedRun& variant : variants)
    for (std::size_t seed = 1; seed <= seeds; ++seed) runs.push_back(with_seed(variant, seed));
  Result<std::vector<SimulatedOutcome>> outcomes = simulate(run, runs);
  if (!outcomes) return tl::unexpected(outcomes.error());
  std::vector<std::vector<SimulatedOutcome>> by_variant(variants.size());
  for (std::size_t i = 0; i < outcomes->size(); ++i) by_variant[i / seeds].push_back(std::move((*outcomes)[i]));
  return by_variant;
}

Result<std::vector<double>> least_dollars_by_seed(const ExperimentRun& run, const SimulatedRun& simulated) {
  constexpr Duration ever = std::chrono::hours(24 * 365);
  std::vector<Result<double>> bounds(std::max(1u, run.seeds), fail(ErrorCode::cancelled, "interrupted"));
  const Result<void> ran = each_piece(run, bounds.size(), [&](std::size_t index) {
    const Result<simulation::Scenario> scenario = scenario_of(run, with_seed(simulated, index + 1));
    if (!scenario) {
      bounds[index] = tl::unexpected(scenario.error());
      return;
    }
    const Result<LowerBound> bound = least_dollars(simulation::whole_run(*scenario), ever);
    if (bound)
      bounds[index] = bound->dollars.value();
    else
      bounds[index] = tl::unexpected(bound.error());
  });
  if (!ran) return tl::unexpected(ran.error());
  return all_of(bounds);
}

double dollars(const SimulatedOutcome& outcome) { return outcome.run.bill.total().value(); }

std::vector<double> figures_of(const std::vector<SimulatedOutcome>& seeds, double (*figure)(const SimulatedOutcome&)) {
  std::vector<double> values;
  for (const SimulatedOutcome& outcome : seeds) values.push_back(figure(outcome));
  return values;
}

Spread spread_of(const std::vector<SimulatedOutcome>& seeds, double (*figure)(const SimulatedOutcome&)) {
  return spread(figures_of(seeds, figure));
}

Spread percent_below(const std::vector<double>& less, const std::vector<double>& than) {
  std::vector<double> percent;
  for (std::size_t i = 0; i < less.size(); ++i) percent.push_back(than[i] > 0 ? 100 * (1 - less[i] / than[i]) : 0);
  return spread(percent);
}

}  // namespace lips::experiments
