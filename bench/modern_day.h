// The days of bench_modern_day and bench_rivals: modern-day and modern-day-elastic at several loads, placements and
// seeds.
#pragma once

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "policies/registry/registry.h"
#include "policies/settings.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"

namespace lips::bench {

inline constexpr std::array placements = {"oneZone", "twoZones", "hotZone", "skewedTwoZones"};

struct Market {
  Billing billing = Billing::use;
  bool elastic = false;
};

struct Instance {
  double load = 0.8;
  std::string placement;
  int seed = 1;
  Market market;
  std::string name() const { return fmt::format("{:.2f} {:<14} {}", load, placement, seed); }
};

// All loads and placements with seed 1, then with seed 2, and so on.
inline std::vector<Instance> modern_days(std::size_t count, const std::vector<double>& loads, Market market) {
  std::vector<Instance> days;
  for (int seed = 1; days.size() < count; ++seed)
    for (double load : loads)
      for (const char* placement : placements)
        if (days.size() < count) days.push_back({load, placement, seed, market});
  return days;
}

using Fields = std::vector<std::pair<std::string, std::string>>;  // of a scenario, as --set names them

inline Result<simulation::Scenario> read(const Instance& instance, const Fields& more = {}) {
  const Result<std::string> path =
      simulation::find_scenario(instance.market.elastic ? "modern-day-elastic" : "modern-day");
  if (!path) return tl::unexpected<Error>(path.error());
  simulation::ScenarioOptions options;
  options.set = {{"load", fmt::format("{}", instance.load)},
                 {"placement", instance.placement},
                 {"seed", std::to_string(instance.seed)},
                 {"billing", std::string(to_string(instance.market.billing))}};
  options.set.insert(options.set.end(), more.begin(), more.end());
  return simulation::read_scenario(*path, options);
}

// invalid_input where a job does not finish.
inline Result<simulation::RunResult> run_named(const simulation::Scenario& scenario, const std::string& policy,
                                               const PolicySettings& settings, const std::string& name) {
  const Result<std::unique_ptr<Policy>> made = make_policy(policy, settings);
  if (!made) return tl::unexpected<Error>(made.error());
  Result<simulation::RunResult> ran = simulation::run(scenario, **made, name);
  if (ran && ran->jobs_finished < ran->jobs) return fail(ErrorCode::invalid_input, "not all jobs finished");
  return ran;
}

inline Result<simulation::RunResult> run_lips(const simulation::Scenario& scenario, const PolicySettings& settings,
                                              const std::string& name) {
  return run_named(scenario, "lips", settings, name);
}

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace lips::bench
