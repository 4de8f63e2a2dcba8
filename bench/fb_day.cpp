// The whole day of FB-2010 (config/scenarios/fb-2010-day.yaml, 24,442 jobs on 600 nodes) in seconds of wall time: its
// first quarter of the jobs, its first half, all of it. LIPS_DATA names the folder of traces.
//   bench_fb_day [POLICY ...]
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

#include "cmd/cli/wall_stopwatch.h"
#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"

namespace {

using namespace lips;
using namespace lips::simulation;

bool measure(const Scenario& scenario, const std::string& name) {
  const Result<std::unique_ptr<Policy>> policy = make_policy(name, scenario.settings);
  if (!policy) return fmt::print(stderr, "{}\n", policy.error().message), false;
  const WallStopwatch clock;
  RunOptions options;
  options.stopwatch = &clock;
  const double began = clock.seconds();
  const Result<RunResult> result = run(scenario, **policy, name, options);
  const double took = clock.seconds() - began;
  if (!result) return fmt::print(stderr, "{}\n", result.error().message), false;
  const auto jobs = static_cast<double>(scenario.jobs.size());
  fmt::print("| {} | {} | {} | {} | {:.1f} | {:.1f} | {:.2f} | {:.1f} | {:.0f} | {:.2f} |\n", name,
             scenario.jobs.size(), result->tasks_finished, result->plans.made, took, result->measured.deciding,
             1e3 * took / jobs, 1e6 * took / static_cast<double>(result->tasks_finished), result->completion.mean,
             result->bill.total().value());
  std::fflush(stdout);
  return result->jobs_finished == result->jobs;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> policies(argv + 1, argv + argc);
  if (policies.empty()) policies = {"lips"};
  const Result<std::string> path = find_scenario("fb-2010-day");
  Result<Scenario> scenario = path ? read_scenario(*path) : tl::unexpected<Error>(path.error());
  if (!scenario) return fmt::print(stderr, "{}\n", scenario.error().message), 2;
  fmt::print(
      "| policy | jobs | tasks | plans | seconds | of them deciding | ms a job | us a task | mean completion s | USD "
      "|\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  const std::vector<JobArrived> all = scenario->jobs;
  bool good = true;
  for (const std::string& policy : policies)
    for (std::size_t part : {4, 2, 1}) {
      scenario->jobs.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / part));
      good = measure(*scenario, policy) && good;
    }
  return good ? 0 : 1;
}
