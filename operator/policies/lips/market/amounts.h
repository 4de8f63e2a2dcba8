// The model's decisions in CPU-seconds: the amounts of each commodity by place, and the waiting rest.
#pragma once

#include <utility>
#include <vector>

#include "model/plan.h"
#include "policies/lips/market/by_zone.h"
#include "policies/lips/market/ids.h"
#include "policies/lips/market/workload.h"

namespace lips {

struct Amounts {
  IdVector<CommodityId, ByZone> in_zone;                                    // of those that any class may take
  IdVector<CommodityId, std::vector<std::pair<ClassId, double>>> in_class;  // of the others
  IdVector<CommodityId, double> unserved;
  IdVector<ClassId, double> open_work;    // for commodities that any class may take
  IdVector<ZoneId, double> zone_price;    // dual: USD per additional CPU-second there
  double objective = 0, lower_bound = 0;  // USD
  ModelForm form = ModelForm::none;
  bool fell_back = false;
  std::int64_t rows = 0, columns = 0;
  std::vector<ShadowPrice> shadow_prices;            // of pools, links and stores
  std::vector<std::pair<DataSetId, ZoneId>> copies;  // that pay, of shared data
};

// A market whose program is solved.
struct SolvedMarket {
  const ClusterSnapshot& cluster;
  const NodeClasses& classes;
  const Workload& workload;
  const Amounts& amounts;
};

}  // namespace lips
