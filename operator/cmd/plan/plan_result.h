// One decision on one snapshot and its three forms: text, JSON and the plan's own file. Reads no options.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/enum_array.h"
#include "base/result.h"
#include "model/plan.h"
#include "model/snapshot.h"
#include "policies/settings.h"

namespace lips::cmd {

// For a plan whose policy gives none.
inline constexpr Duration default_horizon = std::chrono::seconds(600);

struct PlanResult {
  std::string policy, file;
  const ClusterSnapshot* cluster = nullptr;
  Plan plan;
  double seconds = 0;  // wall time of the decision
  EnumArray<DeferralReason, std::uint64_t> deferred_by_reason;
  std::uint64_t deferred = 0;
};

// Counts pending tasks by what the plan does with them.
void count_deferred(PlanResult& result);

std::string plan_text(const PlanResult& result);
std::string plan_json(const PlanResult& result);
// Assignments, moves, drops and deferrals by name, one per line.
std::string plan_file(const PlanResult& result);

// "one more core-hour in zone a would save $0.031", most expensive first within each subject; at most `most`.
std::vector<std::string> shadow_price_sentences(const PlanAccount& account, std::size_t most);

// The linear program that the policy solves for the cluster, as MPS; invalid_input if the policy solves none.
Result<std::string> program_as_mps(const ClusterSnapshot& cluster, const CostModel& costs, const std::string& policy,
                                   const PolicySettings& settings);

}  // namespace lips::cmd
