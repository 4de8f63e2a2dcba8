// Simulated runs side by side, on threads, with one line of progress. Knows no command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_array.h"
#include "base/result.h"
#include "model/pod_mode.h"
#include "policies/settings.h"
#include "simulation/run.h"
#include "simulation/run_result.h"
#include "simulation/scenario.h"

namespace lips::cmd {

// Between a policy and the simulated cluster: nothing, or the adapter and a virtual Kubernetes.
enum class Door : std::uint8_t { direct, kubernetes };
inline constexpr EnumArray<Door, std::string_view> door_names{"direct", "kubernetes"};
constexpr std::string_view to_string(Door door) { return door_names[door]; }

struct SimulationRun {
  const simulation::Scenario* scenario = nullptr;  // outlives it
  std::string policy, label;
  PolicySettings settings;
  std::optional<TimePoint> until = std::nullopt;                       // as simulation::RunOptions has it
  Door door = Door::direct;                                            // `until` is for the direct one
  PodMode mode = PodMode::bind;                                        // of the operator, behind the other door
  std::optional<Result<simulation::RunResult>> result = std::nullopt;  // nothing: not started
};

// At most `jobs` at once, until Ctrl-C; which of them run together does not change any result.
void run_simulations(std::vector<SimulationRun>& runs, std::uint32_t jobs, bool show_progress);

using RunThrough = Result<simulation::RunResult> (*)(const simulation::Scenario&, const Policy&,
                                                     const std::string& policy_name, PodMode,
                                                     const simulation::RunOptions&);
// The function with which this program runs through Kubernetes; null: it has none.
RunThrough& run_through_door();

// All jobs to their end, so that it can be compared with other runs.
bool finished(const simulation::RunResult& run);

}  // namespace lips::cmd
