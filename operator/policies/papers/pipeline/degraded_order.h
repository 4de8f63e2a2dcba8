// degraded-first as the last step of the pipeline (Li, Lee and Hu, Algorithm 3): tasks that have to decode their block
// start first when they are due, paced over their jobs' map phases. Knows no share.
#pragma once

#include "policies/drafting/draft.h"
#include "policies/settings.h"

namespace lips::pipeline {

// Assigns the degraded tasks that are due, at most one a node, to the cheapest nodes that the tests of node and rack
// allow.
void start_due_degraded(Draft& draft, const PolicySettings& settings);

// The same before everything else of a plan; what no longer fits now waits for the next plan.
void put_degraded_first(const PolicyInput& input, const PolicySettings& settings, Plan& plan);

}  // namespace lips::pipeline
