#include "policies/lips/program/coarsening.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "policies/lips/program/merged_commodity.h"

namespace lips {

namespace {

using Key = std::tuple<bool, ConstraintId, Resources, PoolId, ZoneSet, int, SharedObjectId, std::uint32_t, int, double>;

// Prices of reading differ by less than a factor of four inside one key.
Key key(const Commodity& commodity) {
  double dearest = 0;
  for (double usd : commodity.non_cpu_cost) dearest = std::max(dearest, usd);
  const int magnitude = dearest > 0 ? static_cast<int>(std::floor(std::log2(dearest) / 2)) : -1000;
  const int length =
      commodity.charged != 0 ? static_cast<int>(std::floor(2 * std::log2(std::max(1e-3, commodity.longest)))) : -1000;
  return {commodity.any_class, commodity.constraint, commodity.any_class ? Resources{} : commodity.request,
          commodity.pool,      commodity.zones,      magnitude,
          commodity.shared,    commodity.charged,    length,
          commodity.urgency};
}

}  // namespace

Coarsening::Coarsening(const Workload& workload) : workload_(workload) {
  std::map<Key, CommodityId> by_key;
  coarse_.objects = workload.objects;
  for (CommodityId id : workload.commodities.ids()) {
    const Commodity& commodity = workload.commodities[id];
    const auto [found, added] = by_key.try_emplace(key(commodity));
    if (added) {
      found->second = coarse_.commodities.push_back(commodity);
      coarse_.commodities[found->second].portions.clear();
      members_.push_back({id});
      continue;
    }
    merge(coarse_.commodities[found->second], commodity);
    members_[found->second].push_back(id);
  }
  for (CommodityId id : members_.ids()) price_unserved(workload, members_[id], coarse_.commodities[id]);
}

namespace {

// Distributes one coarse commodity's amounts by place to its members one after the other.
template <class Place, class Give>
void share_out(std::vector<std::pair<Place, double>> places, const IdVector<CommodityId, Commodity>& commodities,
               const std::vector<CommodityId>& members, IdVector<CommodityId, double>& unserved, Give give) {
  auto place = places.begin();
  for (CommodityId member : members) {
    double left = commodities[member].work;
    for (; left > 0 && place != places.end(); ++place) {
      const double given = std::min(left, place->second);
      if (given > 0) give(member, place->first, given);
      left -= given;
      place->second -= given;
      if (place->second > 0) break;
    }
    unserved[member] = left;
  }
}

}  // namespace

Amounts Coarsening::deal(const Amounts& coarse) const {
  Amounts fine = coarse;
  const IdVector<CommodityId, Commodity>& commodities = workload_.commodities;
  fine.in_zone.assign(commodities.size(), ByZone(coarse.zone_price.size()));
  fine.in_class.assign(commodities.size(), {});
  fine.unserved.assign(commodities.size(), 0.0);
  for (CommodityId id : coarse_.commodities.ids())
    if (coarse_.commodities[id].any_class) {
      std::vector<std::pair<ZoneId, double>> zones;
      for (ZoneId zone : coarse.zone_price.ids()) zones.emplace_back(zone, coarse.in_zone[id][zone]);
      share_out(std::move(zones), commodities, members_[id], fine.unserved,
                [&](CommodityId member, ZoneId zone, double work) { fine.in_zone[member][zone] += work; });
    } else {
      share_out(coarse.in_class[id], commodities, members_[id], fine.unserved,
                [&](CommodityId member, ClassId c, double work) { fine.in_class[member].emplace_back(c, work); });
    }
  return fine;
}

}  // namespace lips
