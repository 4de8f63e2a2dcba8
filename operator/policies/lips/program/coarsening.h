// Merges commodities of nearly equal costs when there are too many, and distributes the coarse program's amounts to
// the true ones. Knows no program.
#pragma once

#include <vector>

#include "policies/lips/market/amounts.h"
#include "policies/lips/market/workload.h"

namespace lips {

// Merges commodities of equal eligibility, request, pool and zones with similar prices of reading elsewhere.
class Coarsening {
 public:
  explicit Coarsening(const Workload& workload);
  const Workload& coarse() const { return coarse_; }
  // Each coarse amount goes to its members one after the other, those with the highest unserved price first.
  Amounts deal(const Amounts& coarse) const;

 private:
  const Workload& workload_;
  Workload coarse_;
  IdVector<CommodityId, std::vector<CommodityId>> members_;  // of each coarse one
};

}  // namespace lips
