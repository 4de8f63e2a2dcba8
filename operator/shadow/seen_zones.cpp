#include "shadow/seen_zones.h"

namespace lips {

void SeenZones::look(const ClusterSnapshot& cluster, const CostModel& costs) {
  stable_ = {};
  for (const Zone& zone : cluster.zones)
    stable_.push_back(ids_.try_emplace(zone.name, ZoneId(static_cast<std::uint32_t>(ids_.size()))).first->second);
  prices_.resize(ids_.size());
  for (std::vector<UsdPerMebibyte>& row : prices_) row.resize(ids_.size());
  for (const ZoneId from : cluster.zones.ids())
    for (const ZoneId to : cluster.zones.ids())
      prices_[stable_[from].index()][stable_[to].index()] = costs.transfer(from, to);
  costs_ = CostModel(prices_);
}

}  // namespace lips
