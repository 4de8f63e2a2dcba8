#include "policies/lips/coarsening.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace lips {

namespace {

constexpr double overflow_steps = 8;  // of a coarse unit

using Key = std::tuple<bool, ConstraintId, Resources, PoolId, ZoneSet, int, std::uint32_t>;

// Prices of reading differ by less than a factor of two inside one key.
Key key(const Unit& unit) {
  double dearest = 0;
  for (double usd : unit.extra) dearest = std::max(dearest, usd);
  const int magnitude = dearest > 0 ? static_cast<int>(std::floor(std::log2(dearest))) : -1000;
  return {unit.any_class, unit.constraint, unit.any_class ? Resources{} : unit.request, unit.pool, unit.zones,
          magnitude,      unit.shared};
}

void merge(Unit& into, const Unit& unit) {
  const double share = unit.work / (into.work + unit.work);
  for (std::size_t z = 0; z < into.extra.size(); ++z) into.extra[z] += share * (unit.extra[z] - into.extra[z]);
  into.overflow_price += share * (unit.overflow_price - into.overflow_price);
  into.input_per_work += share * (unit.input_per_work - into.input_per_work);
  into.least_memory_per_core = std::min(into.least_memory_per_core, unit.least_memory_per_core);
  into.work += unit.work;
}

}  // namespace

Coarsening::Coarsening(const Units& units) : units_(units) {
  std::map<Key, std::uint32_t> by_key;
  coarse_.objects = units.objects;
  for (std::uint32_t u = 0; u < units.units.size(); ++u) {
    const Unit& unit = units.units[u];
    const auto [found, added] = by_key.try_emplace(key(unit), static_cast<std::uint32_t>(coarse_.units.size()));
    if (added) {
      coarse_.units.push_back(unit);
      coarse_.units.back().portions.clear();
      members_.push_back({u});
      continue;
    }
    merge(coarse_.units[found->second], unit);
    members_[found->second].push_back(u);
  }
  for (std::size_t g = 0; g < coarse_.units.size(); ++g) price_overflow(g);
}

Amounts Coarsening::deal(const Amounts& coarse) const {
  Amounts fine = coarse;
  const std::size_t count = units_.units.size();
  const auto zones = static_cast<std::uint32_t>(coarse.zone_price.size());
  fine.in_zone.assign(count, std::vector<double>(zones, 0.0));
  fine.in_class.assign(count, {});
  fine.overflow.assign(count, 0.0);
  for (std::size_t g = 0; g < coarse_.units.size(); ++g) {
    std::vector<std::pair<std::uint32_t, double>> places;
    if (coarse_.units[g].any_class)
      for (std::uint32_t z = 0; z < zones; ++z) places.emplace_back(z, coarse.in_zone[g][z]);
    else
      places = coarse.in_class[g];
    auto place = places.begin();
    for (std::uint32_t u : members_[g]) {
      double left = units_.units[u].work;
      for (; left > 0 && place != places.end(); ++place) {
        const double given = std::min(left, place->second);
        if (given > 0 && coarse_.units[g].any_class) fine.in_zone[u][place->first] += given;
        if (given > 0 && !coarse_.units[g].any_class) fine.in_class[u].emplace_back(place->first, given);
        left -= given;
        place->second -= given;
        if (place->second > 0) break;
      }
      fine.overflow[u] = left;
    }
  }
  return fine;
}

// Members that are dear to leave out come first, both in the steps and when amounts are dealt.
void Coarsening::price_overflow(std::size_t g) {
  std::vector<std::uint32_t>& members = members_[g];
  if (members.size() < 2) return;
  std::stable_sort(members.begin(), members.end(), [&](std::uint32_t a, std::uint32_t b) {
    return units_.units[a].overflow_price > units_.units[b].overflow_price;
  });
  Unit& unit = coarse_.units[g];
  double price = 0, work = 0;
  for (std::uint32_t u : members) {
    price += units_.units[u].overflow_price * units_.units[u].work;
    work += units_.units[u].work;
    if (work < unit.work / overflow_steps && u != members.back()) continue;
    unit.overflow_steps.emplace_back(price / work, work);
    price = work = 0;
  }
}

}  // namespace lips
