// What a plan costs in the model's own terms, and in dollars.
#pragma once

#include "policies/lips/amounts.h"
#include "policies/lips/class_form.h"
#include "policies/lips/commodities.h"
#include "policies/lips/packing.h"
#include "policies/policy.h"

namespace lips {

// The model's cost of whole tasks: each zone's and class's load on its cheapest steps, what no step holds at the
// price of unserved work.
double cost_of_quotas(const ClusterSnapshot& cluster, const NodeClasses& classes, const Workload& workload,
                      const WholeQuotas& quotas);
// What a whole horizon's objective counts beside the dollars, and what the program counts beside its objective.
struct PricedPreferences {
  Usd waiting;   // of what is not assigned, at its price
  Usd fairness;  // of what pools fall short of their shares
  Usd locality;  // of reads off the node and of maps away from their job's home: steers the plan, bounds leave it out
};
PricedPreferences price_preferences(const NodeClasses& classes, const Workload& workload,
                                    const std::vector<Placement>& placements, const ClusterSnapshot& cluster,
                                    const std::vector<PoolRow>& pools);

// All of them, and what is assigned at the commodities' prices.
double cost_of_placements(const NodeClasses& classes, const Workload& workload,
                          const std::vector<Placement>& placements, const ClusterSnapshot& cluster,
                          const std::vector<PoolRow>& pools);

// All of the account but the objective and the gap.
void fill_account(const PolicyInput& input, const NodeClasses& classes, const Workload& workload,
                  const Amounts& amounts, Plan& plan);

}  // namespace lips
