// The cost of a plan in the model's own terms, and in dollars.
#pragma once

#include "policies/lips/market/amounts.h"
#include "policies/lips/market/workload.h"
#include "policies/lips/placing/packing.h"
#include "policies/lips/program/class_form.h"
#include "policies/policy.h"

namespace lips {

// The model's cost of whole tasks: each zone's and class's load on its cheapest steps, the rest at the price of
// unserved work.
double cost_of_quotas(const ClusterSnapshot& cluster, const NodeClasses& classes, const Workload& workload,
                      const WholeQuotas& quotas);
// Terms of a whole horizon's objective besides dollars, and terms of the program besides its objective.
struct PricedPreferences {
  Usd waiting;   // of unassigned work, at its price
  Usd fairness;  // of pools' shortfalls below their shares
  Usd locality;  // of reads off the node and of maps away from their job's home: steers the plan, bounds leave it out
};
PricedPreferences price_preferences(const NodeClasses& classes, const Workload& workload,
                                    const std::vector<Placement>& placements, const ClusterSnapshot& cluster,
                                    const std::vector<PoolRow>& pools);

// All of them, with assigned work at the commodities' prices.
double cost_of_placements(const NodeClasses& classes, const Workload& workload,
                          const std::vector<Placement>& placements, const ClusterSnapshot& cluster,
                          const std::vector<PoolRow>& pools);

// Dollars by price term of the work that the placements start, as each term priced it; by name.
std::vector<TermDollars> dollars_by_term(const NodeClasses& classes, const Workload& workload,
                                         const std::vector<Placement>& placements);

// Adds to the dollars of the term of that name, or puts it in its place.
void add_term(std::vector<TermDollars>& terms, const TermDollars& more);

// Sets loss and gap, once the objective and the bound are there.
void compare_with_bound(const Amounts& amounts, PlanAccount& account);

// All of the account but the objective, the loss and the gap.
void fill_account(const PolicyInput& input, const NodeClasses& classes, const Workload& workload,
                  const Amounts& amounts, Plan& plan);

}  // namespace lips
