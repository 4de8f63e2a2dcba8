// Simulates a scenario under a policy from start to end.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "policies/policy.h"
#include "simulation/run_result.h"
#include "simulation/scenario.h"

namespace lips::simulation {

struct Progress {
  TimePoint now{};
  std::uint64_t jobs_done = 0, jobs = 0;
};

struct RunOptions {
  std::function<void(const Progress&)> progress;  // called now and then
  std::function<bool()> stop;                     // true: end now with a partial result
  std::optional<TimePoint> until = {};            // end then, and bill nodes until then; none: when all is done
  bool by_day = false;                            // fill RunResult::by_day
  const Stopwatch* stopwatch = nullptr;           // measures time spent deciding, also for Thinking::measured
};

// An error if the policy fails or makes a plan that CheckedPolicy refuses. The result names jobs that could not finish.
Result<RunResult> run(const Scenario& scenario, const Policy& policy, std::string policy_name,
                      const RunOptions& options = {});

}  // namespace lips::simulation
