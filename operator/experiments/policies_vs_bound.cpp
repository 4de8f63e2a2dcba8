// Every policy on the same scenarios, compared with the least cost of any schedule.
#include "experiments/policies_vs_bound.h"

#include <fmt/format.h>

#include <array>

#include "experiments/simulated_runs.h"
#include "policies/registry/registry.h"

namespace lips::experiments {

namespace {

struct Case {
  std::string_view name, scenario;
  std::vector<std::pair<std::string, std::string>> set;
};

std::vector<Case> cases_of(const ExperimentRun& run) {
  std::vector<Case> cases = {{"quickstart", "quickstart", {}},
                             {"table-iv-i", "table-iv-i", {}},
                             {"table-iv-ii", "table-iv-ii", {}},
                             {"table-iv-iii", "table-iv-iii", {}}};
  if (!run.quick) cases.push_back({"swim-400, load 0.2", "swim-400", {{"load", "0.2"}}});
  return cases;
}

}  // namespace

Result<ExperimentResult> policies_vs_bound(const ExperimentRun& run) {
  ExperimentResult result;
  result.setting = {{"no paper: every policy of the registry with its default settings, on the shipped scenarios"},
                    {"placements of quickstart and table-iv-*, draws of swim-400 at a load of 0.2",
                     "the bound: certified, however long a schedule takes; shuffle, moves and storage free"}};
  Chart ratio{
      "Dollars over the lower bound", "Mean over draws; 1 is the least that any schedule can cost.", "policy", "", {}};
  Chart wait{"Mean job, from arrival to end", "Mean over draws.", "policy", "s", {}};
  for (const PolicyEntry& entry : policy_registry()) {
    ratio.categories.emplace_back(entry.name);
    wait.categories.emplace_back(entry.name);
  }
  const std::vector<Case> cases = cases_of(run);
  const auto pieces = static_cast<double>(cases.size() * policy_registry().size());
  double begun = 0;
  for (const Case& one : cases) {
    ExperimentRun part = run;
    part.progress = nullptr;
    const auto bound = least_dollars_by_seed(part, {std::string(one.scenario), one.set, ""});
    if (!bound) return tl::unexpected(bound.error());
    Curve over{std::string(one.name), {}}, seconds{std::string(one.name), {}};
    for (std::size_t i = 0; i < policy_registry().size(); ++i) {
      const auto runs =
          simulate_seeds(part, {{std::string(one.scenario), one.set, std::string(policy_registry()[i].name)}});
      run.report(++begun / pieces);
      if (!runs && runs.error().code == ErrorCode::cancelled) return tl::unexpected(runs.error());
      if (!runs) {
        result.notes.push_back(fmt::format("{} on {}: {}", policy_registry()[i].name, one.name, runs.error().message));
        continue;
      }
      std::vector<double> ratios = figures_of((*runs)[0], dollars);
      for (std::size_t seed = 0; seed < ratios.size(); ++seed) ratios[seed] /= (*bound)[seed];
      const double x = static_cast<double>(i);
      over.points.push_back({x, spread(ratios).mean});
      const auto mean_job = [](const SimulatedOutcome& outcome) { return outcome.run.completion.mean; };
      seconds.points.push_back({x, spread_of((*runs)[0], mean_job).mean});
    }
    ratio.curves.push_back(std::move(over));
    wait.curves.push_back(std::move(seconds));
  }
  result.charts = {std::move(ratio), std::move(wait)};
  return result;
}

}  // namespace lips::experiments
