// Names the tasks that no node may take, of those that are there or could be launched: they start in no plan.
#pragma once

#include <vector>

#include "model/plan.h"
#include "model/snapshot.h"
#include "policies/lips/market/node_classes.h"

namespace lips {

// Tasks of peers are left to the gangs, which name them together.
void defer_ineligible(const ClusterSnapshot& cluster, const NodeClasses& classes, std::vector<Deferral>& deferrals);

}  // namespace lips
