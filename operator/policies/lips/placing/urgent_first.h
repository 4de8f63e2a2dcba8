// Among tasks that are alike the more urgent start first, wherever the program put either.
#pragma once

#include <vector>

#include "policies/lips/placing/packing.h"

namespace lips {

// Gives placements of less urgent portions to more urgent ones that wait, among portions of one commodity, pool,
// request and length. The places stay what they are, and so do their dollars.
void start_urgent_first(const ClusterSnapshot& cluster, const Workload& workload, std::vector<Placement>& placements);

}  // namespace lips
