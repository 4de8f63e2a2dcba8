// The stages of a plan of the default policy, in their order. Each reads and writes the draft and nothing else.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "policies/lips/stages/draft.h"

namespace lips {

enum class Phase : std::uint8_t {
  data,     // with pending tasks or without
  market,   // supply, tasks that are placed early, demand
  program,  // amounts
  tasks     // whole tasks, reads, requests for nodes, the account
};

struct Stage {
  std::string_view name;
  Phase phase;
  void (*run)(PlanDraft&);
};

std::span<const Stage> stages();

// In the place of all but the first phase, where nothing is pending.
void keep_room_for_gangs(PlanDraft& draft);
void account_for_idle_pools(PlanDraft& draft);

PlanDraft make_plan_draft(const PolicyInput& input, const PolicySettings& settings);
// The same after the stage `supply`: classes and weights as a plan has them, for whoever explains one.
PlanDraft draft_with_supply(const PolicyInput& input, const PolicySettings& settings);
// Jobs within the limit of the fast path are placed before the program.
bool places_small_jobs(const PlanDraft& draft);

// Amounts of the draft's workload, in the form of the program that it needs.
Amounts solve_amounts(const PlanDraft& draft);

}  // namespace lips
