// Scenarios, and short runs of those that are small: two policies, to the end or a few thousand waits.
#include <cmath>

#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"
#include "tests/fuzz/fuzz_target.h"

namespace lips::simulation {

namespace {

bool small(const Scenario& scenario) {
  std::size_t tasks = 0;
  for (const JobArrived& job : scenario.jobs) tasks += job.tasks.size();
  return scenario.cluster.nodes.size() <= 30 && scenario.cluster.blocks.size() <= 2000 && tasks <= 200 &&
         scenario.failures.size() <= 20;
}

void run_briefly(const Scenario& scenario, const char* name) {
  const auto policy = make_policy(name, scenario.settings);
  if (!policy) return;
  int left = 3000;
  RunOptions options;
  options.stop = [&] { return --left < 0; };
  const Result<RunResult> result = run(scenario, **policy, name, options);
  if (!result) return;
  const double total = result->bill.total().value();
  FUZZ_CHECK(std::isfinite(total) && total >= -1e-9 * std::abs(total));
  FUZZ_CHECK(result->makespan >= Duration(0));
  FUZZ_CHECK(result->jobs_finished + result->jobs_failed <= scenario.jobs.size());
  FUZZ_CHECK(result->tasks_finished <= result->tasks);
}

}  // namespace

FUZZ_TARGET(scenario, json) {
  const Result<Scenario> scenario = parse_scenario("scenario.yaml", std::string(input));
  if (!scenario) {
    FUZZ_CHECK(!scenario.error().message.empty());
    return false;
  }
  if (!small(*scenario)) return true;
  run_briefly(*scenario, "lips");
  run_briefly(*scenario, "delay");
  return true;
}

}  // namespace lips::simulation
