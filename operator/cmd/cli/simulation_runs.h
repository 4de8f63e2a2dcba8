// Simulated runs side by side, on threads, with one line of progress. Knows no command.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/enum_array.h"
#include "base/result.h"
#include "model/pod_mode.h"
#include "policies/policy.h"
#include "policies/settings.h"
#include "simulation/run.h"
#include "simulation/run_result.h"
#include "simulation/scenario.h"

namespace lips::cmd {

// Between a policy and the simulated cluster: nothing, or the adapter and a virtual Kubernetes.
enum class Door : std::uint8_t { direct, kubernetes };
inline constexpr EnumArray<Door, std::string_view> door_names{"direct", "kubernetes"};
constexpr std::string_view to_string(Door door) { return door_names[door]; }

using HowToRun = std::function<Result<simulation::RunResult>(
    const simulation::Scenario&, const Policy&, const std::string& policy_name, const simulation::RunOptions&)>;

struct SimulationRun {
  const simulation::Scenario* scenario = nullptr;  // outlives it
  std::string policy, label;
  PolicySettings settings;
  std::optional<TimePoint> until = std::nullopt;                       // as simulation::RunOptions has it
  HowToRun how = {};                                                   // empty: simulation::run()
  std::optional<Result<simulation::RunResult>> result = std::nullopt;  // nothing: not started
};

// At most `jobs` at once, until Ctrl-C; which of them run together does not change any result.
void run_simulations(std::vector<SimulationRun>& runs, std::uint32_t jobs, bool show_progress);

// The ways of this program to run a scenario through a virtual Kubernetes; null: it has none.
struct VirtualRuns {
  // By the operator's adapter, in that mode.
  Result<simulation::RunResult> (*through)(const simulation::Scenario&, const Policy&, const std::string& policy_name,
                                           PodMode, const simulation::RunOptions&) = nullptr;
  // By kube-scheduler alone; none: the policy of that name stands for no kube-scheduler.
  std::optional<Result<simulation::RunResult>> (*alone)(const simulation::Scenario&, const std::string& policy_name,
                                                        const simulation::RunOptions&) = nullptr;
};
VirtualRuns& virtual_runs();

// All jobs to their end, so that it can be compared with other runs.
bool finished(const simulation::RunResult& run);

}  // namespace lips::cmd
