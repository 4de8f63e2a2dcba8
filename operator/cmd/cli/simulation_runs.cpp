#include "cmd/cli/simulation_runs.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "cmd/cli/command.h"
#include "cmd/cli/progress.h"
#include "policies/registry/registry.h"
#include "simulation/run.h"

namespace lips::cmd {

namespace {

void run_one(SimulationRun& run, std::size_t index, ProgressLine& progress) {
  const Result<std::unique_ptr<Policy>> policy = make_policy(run.policy, run.settings);
  if (!policy) {
    run.result = tl::unexpected(policy.error());
    return;
  }
  const WallStopwatch watch;
  simulation::RunOptions options;
  options.stopwatch = &watch;
  options.until = run.until;
  options.stop = interrupt_requested;
  options.progress = [&](const simulation::Progress& now) { progress.report(index, now); };
  run.result = guarded([&]() -> Result<simulation::RunResult> {
    if (run.how) return run.how(*run.scenario, **policy, run.policy, options);
    return simulation::run(*run.scenario, **policy, run.policy, options);
  });
  progress.finish(index);
}

}  // namespace

VirtualRuns& virtual_runs() {
  static VirtualRuns runs;
  return runs;
}

void run_simulations(std::vector<SimulationRun>& runs, std::uint32_t jobs, bool show_progress) {
  std::vector<std::string> labels;
  for (const SimulationRun& run : runs) labels.push_back(run.label);
  ProgressLine progress(show_progress && stderr_is_terminal(), labels);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t index = next++; index < runs.size() && !interrupt_requested(); index = next++)
      run_one(runs[index], index, progress);
  };
  const std::size_t threads = std::min<std::size_t>(jobs, runs.size());
  if (threads <= 1) return work();
  std::vector<std::jthread> pool;
  for (std::size_t i = 0; i < threads; ++i) pool.emplace_back(work);
}

bool finished(const simulation::RunResult& run) {
  return !run.stopped && !run.stuck && !run.endless && run.jobs_finished == run.jobs;
}

}  // namespace lips::cmd
