// The first step of the pipeline: what each pool may have in use until the next plan. Knows no task and no node by
// name.
#pragma once

#include <vector>

#include "policies/drafting/draft.h"
#include "policies/drafting/stage_slots.h"
#include "policies/papers/fair/order.h"

namespace lips::pipeline {

struct PoolNeed {
  double weight = 1;
  double minimum = 0, maximum = 0;  // 0: none
  double wanted = 0;                // in use and asked for
};

// Weighted max-min: levels rise in proportion to the weights; who has what it wants, or its maximum, stops rising.
std::vector<double> max_min_shares(double slots, const std::vector<PoolNeed>& pools);

// In slots of a core; infinity: none.
std::vector<double> pool_limits(Draft& draft, const fair::StageSlots& slots, const PolicySettings& settings,
                                const std::vector<fair::PoolLoad>& loads);

}  // namespace lips::pipeline
