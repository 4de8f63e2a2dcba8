// From amounts to whole tasks. Rounding errors of a zone or class in one commodity are made up in a later one, so the
// total of each stays within one task of the model's.
#pragma once

#include <vector>

#include "policies/lips/market/amounts.h"
#include "policies/lips/market/workload.h"

namespace lips {

struct Quota {
  PortionId portion;
  std::uint32_t tasks = 0;
};

// Each list by priority and urgency: the most urgent first.
struct WholeQuotas {
  IdVector<ZoneId, std::vector<Quota>> zone;  // for any of its classes
  IdVector<ClassId, std::vector<Quota>> in_class;
};

WholeQuotas round_amounts(const ClusterSnapshot& cluster, const Workload& workload, const Amounts& amounts,
                          const NodeClasses& classes);

}  // namespace lips
