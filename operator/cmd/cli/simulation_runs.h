// Simulated runs side by side, on threads, with one line of progress. Knows no command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policies/settings.h"
#include "simulation/run_result.h"
#include "simulation/scenario.h"

namespace lips::cmd {

struct SimulationRun {
  const simulation::Scenario* scenario = nullptr;  // outlives it
  std::string policy, label;
  PolicySettings settings;
  std::optional<TimePoint> until = std::nullopt;                       // as simulation::RunOptions has it
  std::optional<Result<simulation::RunResult>> result = std::nullopt;  // nothing: not started
};

// At most `jobs` at once, until Ctrl-C; which of them run together does not change any result.
void run_simulations(std::vector<SimulationRun>& runs, std::uint32_t jobs, bool show_progress);

// All jobs to their end, so that it can be compared with other runs.
bool finished(const simulation::RunResult& run);

}  // namespace lips::cmd
