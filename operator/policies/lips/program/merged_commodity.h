// One commodity that stands for several.
#pragma once

#include <vector>

#include "policies/lips/market/workload.h"

namespace lips {

// Adds the work; what a CPU-second costs becomes the mean.
void merge(Commodity& into, const Commodity& commodity);

// Prices what is left of a merged commodity in steps. Sorts the members: those with a high price come first.
void price_unserved(const Workload& workload, std::vector<CommodityId>& members, Commodity& merged);

}  // namespace lips
