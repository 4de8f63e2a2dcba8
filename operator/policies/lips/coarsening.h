// Merges commodities of nearly equal costs where there are too many of them, and deals what the coarse program decides
// to the true ones. Knows no program.
#pragma once

#include <vector>

#include "policies/lips/amounts.h"
#include "policies/lips/commodities.h"

namespace lips {

// Into one go commodities of equal eligibility, request, pool and zones whose prices of reading elsewhere are alike.
class Coarsening {
 public:
  explicit Coarsening(const Workload& workload);
  const Workload& coarse() const { return coarse_; }
  // Each coarse amount to its members one after the other, those dearest to leave out first.
  Amounts deal(const Amounts& coarse) const;

 private:
  void price_unserved(CommodityId coarse);

  const Workload& workload_;
  Workload coarse_;
  IdVector<CommodityId, std::vector<CommodityId>> members_;  // of each coarse one
};

}  // namespace lips
