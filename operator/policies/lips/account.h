// What a plan costs in the model's own terms, and in dollars.
#pragma once

#include "policies/lips/amounts.h"
#include "policies/lips/packing.h"
#include "policies/lips/units.h"
#include "policies/policy.h"

namespace lips {

// The model's cost of whole tasks: each zone's and class's load on its cheapest steps, what no step holds at the overflow price.
double cost_of_quotas(const NodeClasses& classes, const Units& units, const WholeQuotas& quotas);
// The same of tasks on nodes, when the plan fills its whole horizon.
double cost_of_placements(const NodeClasses& classes, const Units& units, const std::vector<Placement>& placements);

void fill_account(const PolicyInput& input, const NodeClasses& classes, const Units& units, const Amounts& amounts,
                  double objective, Plan& plan);

}  // namespace lips
