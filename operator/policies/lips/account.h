// What a plan costs in the model's own terms, and in dollars.
#pragma once

#include "policies/lips/amounts.h"
#include "policies/lips/class_form.h"
#include "policies/lips/packing.h"
#include "policies/lips/units.h"
#include "policies/policy.h"

namespace lips {

// The model's cost of whole tasks: each zone's and class's load on its cheapest steps, what no step holds at the
// overflow price.
double cost_of_quotas(const ClusterSnapshot& cluster, const NodeClasses& classes, const Units& units,
                      const WholeQuotas& quotas);
// What is not assigned, at its overflow price, and what pools fall short of their shares: the rest of a whole horizon's
// objective.
double cost_of_deferred(const NodeClasses& classes, const Units& units, const std::vector<Placement>& placements,
                        const ClusterSnapshot& cluster, const std::vector<PoolRow>& pools);

// The same with what is assigned, at the units' prices.
double cost_of_placements(const NodeClasses& classes, const Units& units, const std::vector<Placement>& placements,
                          const ClusterSnapshot& cluster, const std::vector<PoolRow>& pools);

// All of the account but the objective and the gap.
void fill_account(const PolicyInput& input, const NodeClasses& classes, const Units& units, const Amounts& amounts,
                  Plan& plan);

}  // namespace lips
