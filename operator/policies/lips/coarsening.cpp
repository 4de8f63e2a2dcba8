#include "policies/lips/coarsening.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace lips {

namespace {

constexpr double unserved_steps = 8;  // of a coarse commodity

using Key = std::tuple<bool, ConstraintId, Resources, PoolId, ZoneSet, int, std::uint32_t>;

// Prices of reading differ by less than a factor of two inside one key.
Key key(const Commodity& commodity) {
  double dearest = 0;
  for (double usd : commodity.non_cpu_cost) dearest = std::max(dearest, usd);
  const int magnitude = dearest > 0 ? static_cast<int>(std::floor(std::log2(dearest))) : -1000;
  return {commodity.any_class, commodity.constraint, commodity.any_class ? Resources{} : commodity.request,
          commodity.pool,      commodity.zones,      magnitude,
          commodity.shared};
}

void merge(Commodity& into, const Commodity& commodity) {
  const double share = commodity.work / (into.work + commodity.work);
  for (std::size_t z = 0; z < into.non_cpu_cost.size(); ++z)
    into.non_cpu_cost[z] += share * (commodity.non_cpu_cost[z] - into.non_cpu_cost[z]);
  into.unserved_price += share * (commodity.unserved_price - into.unserved_price);
  into.input_per_work += share * (commodity.input_per_work - into.input_per_work);
  into.least_memory_per_core = std::min(into.least_memory_per_core, commodity.least_memory_per_core);
  into.work += commodity.work;
}

}  // namespace

Coarsening::Coarsening(const Workload& workload) : workload_(workload) {
  std::map<Key, std::uint32_t> by_key;
  coarse_.objects = workload.objects;
  for (std::uint32_t u = 0; u < workload.commodities.size(); ++u) {
    const Commodity& commodity = workload.commodities[u];
    const auto [found, added] =
        by_key.try_emplace(key(commodity), static_cast<std::uint32_t>(coarse_.commodities.size()));
    if (added) {
      coarse_.commodities.push_back(commodity);
      coarse_.commodities.back().portions.clear();
      members_.push_back({u});
      continue;
    }
    merge(coarse_.commodities[found->second], commodity);
    members_[found->second].push_back(u);
  }
  for (std::size_t g = 0; g < coarse_.commodities.size(); ++g) price_unserved(g);
}

Amounts Coarsening::deal(const Amounts& coarse) const {
  Amounts fine = coarse;
  const std::size_t count = workload_.commodities.size();
  const auto zones = static_cast<std::uint32_t>(coarse.zone_price.size());
  fine.in_zone.assign(count, std::vector<double>(zones, 0.0));
  fine.in_class.assign(count, {});
  fine.unserved.assign(count, 0.0);
  for (std::size_t g = 0; g < coarse_.commodities.size(); ++g) {
    std::vector<std::pair<std::uint32_t, double>> places;
    if (coarse_.commodities[g].any_class)
      for (std::uint32_t z = 0; z < zones; ++z) places.emplace_back(z, coarse.in_zone[g][z]);
    else
      places = coarse.in_class[g];
    auto place = places.begin();
    for (std::uint32_t u : members_[g]) {
      double left = workload_.commodities[u].work;
      for (; left > 0 && place != places.end(); ++place) {
        const double given = std::min(left, place->second);
        if (given > 0 && coarse_.commodities[g].any_class) fine.in_zone[u][place->first] += given;
        if (given > 0 && !coarse_.commodities[g].any_class) fine.in_class[u].emplace_back(place->first, given);
        left -= given;
        place->second -= given;
        if (place->second > 0) break;
      }
      fine.unserved[u] = left;
    }
  }
  return fine;
}

// Members that are dear to leave out come first, both in the steps and when amounts are dealt.
void Coarsening::price_unserved(std::size_t g) {
  std::vector<std::uint32_t>& members = members_[g];
  if (members.size() < 2) return;
  std::stable_sort(members.begin(), members.end(), [&](std::uint32_t a, std::uint32_t b) {
    return workload_.commodities[a].unserved_price > workload_.commodities[b].unserved_price;
  });
  Commodity& commodity = coarse_.commodities[g];
  double price = 0, work = 0;
  for (std::uint32_t u : members) {
    price += workload_.commodities[u].unserved_price * workload_.commodities[u].work;
    work += workload_.commodities[u].work;
    if (work < commodity.work / unserved_steps && u != members.back()) continue;
    commodity.unserved_steps.emplace_back(price / work, work);
    price = work = 0;
  }
}

}  // namespace lips
