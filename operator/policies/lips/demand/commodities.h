// Makes the workload of a plan: the portions of all pending jobs and their commodities.
#pragma once

#include <cstdint>
#include <vector>

#include "model/costs.h"
#include "policies/lips/demand/data_costs.h"
#include "policies/lips/demand/job_order.h"
#include "policies/lips/demand/shared_data.h"
#include "policies/lips/market/workload.h"

namespace lips {

enum class CopyPricing : std::uint8_t {
  none,          // a remote read pays for itself
  shared_price,  // 1 / (1 + min(E, 2)) of the price, E = other pending readers of the same data (the copy stays)
  fair_share,    // each pending reader pays its part of one copy: never more than any plan with copies does, so bounds
                 // hold
  columns        // copies of shared objects are columns of the model; readers of parts of them pay their fair share
};

// By the settings. Above a thousand groups that share data, copies are priced by fair shares instead of columns.
CopyPricing copy_pricing(const ClusterSnapshot& cluster, const LipsSettings& settings);

struct CommoditySettings {
  JobOrderSettings order = {};
  CopyPricing copies = CopyPricing::none;
  UsdPerMebibyte locality_price{0};
  bool per_pool = false;           // pools have rows of their own
  bool links = false;              // links between zones have rows of their own
  UsdPerCpuSecond unserved_price;  // 0: ten times the dearest real price
  std::vector<bool> skip;          // [job] already served (fast path); empty: none
  std::vector<ZoneId> homes;       // [job] chosen just now, where valid; empty: none
  Duration horizon{0};             // 0: time slots that wait for everything, and no LeastCosts
  WaitingWeights weights = {};
};

Workload make_commodities(const ClusterSnapshot& cluster, const CostModel& costs, const NodeClasses& classes,
                          const CommoditySettings& settings);

}  // namespace lips
