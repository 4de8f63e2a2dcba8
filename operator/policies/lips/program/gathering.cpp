#include "policies/lips/program/gathering.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "policies/lips/program/merged_commodity.h"
#include "solver/transportation.h"

namespace lips {

namespace {

void add_commodity(const Commodity& commodity, solver::ZoneTransportation& problem) {
  problem.supply.push_back(commodity.work);
  problem.unserved_price.push_back(commodity.unserved_price);
  problem.unit_cost.insert(problem.unit_cost.end(), commodity.non_cpu_cost.begin(), commodity.non_cpu_cost.end());
}

}  // namespace

ByZone prices_of_cores(const NodeClasses& classes, const Workload& workload, std::size_t zones) {
  solver::ZoneTransportation problem;
  problem.steps.resize(zones);
  for (const ClassId c : classes.classes.ids())
    for (const CapacityStep& step : classes.steps[c])
      if (step.work > 0)
        problem.steps[classes.classes[c].zone.index()].push_back(
            {step.work, classes.classes[c].price.value() + step.waiting_price});
  for (const Commodity& commodity : workload.commodities) add_commodity(commodity, problem);
  return ByZone(std::span<const double>(solver::solve_zone_transportation(problem).zone_dual));
}

Gathering::Kind Gathering::kind_of(const Commodity& commodity) {
  const int length = commodity.charged != 0 ? std::ilogb(std::max(1e-3, commodity.longest)) : -1000;
  return {commodity.any_class, commodity.constraint, commodity.any_class ? Resources{} : commodity.request,
          commodity.pool,      commodity.charged,    length,
          commodity.urgency};
}

Gathering::Gathering(const Workload& workload, const ByZone& prices, std::size_t most) : workload_(workload) {
  std::map<std::pair<Kind, ZoneId>, std::vector<std::pair<double, CommodityId>>> ways;  // by margin
  double all_work = 0;
  for (const CommodityId id : workload.commodities.ids()) {
    const auto [best, margin] = choice(id, prices);
    ways[{kind_of(workload.commodities[id]), best}].emplace_back(margin, id);
    all_work += workload.commodities[id].work;
  }
  for (auto& [way, by_margin] : ways) {
    std::sort(by_margin.begin(), by_margin.end());
    double work = 0, part = 0;
    for (const auto& [margin, id] : by_margin) work += workload.commodities[id].work;
    const double parts = std::ceil(static_cast<double>(most) * work / all_work);
    std::vector<CommodityId> members;
    for (const auto& [margin, id] : by_margin) {
      members.push_back(id);
      part += workload.commodities[id].work;
      if (part * parts < work) continue;
      gather(std::exchange(members, {}));
      part = 0;
    }
    if (!members.empty()) gather(std::move(members));
  }
}

Gathering::Choice Gathering::choice(CommodityId id, const ByZone& prices) const {
  const ByZone& cost = workload_.commodities[id].non_cpu_cost;
  constexpr double none = std::numeric_limits<double>::infinity();
  ZoneId best(0);
  double least = none, next = none;
  for (const ZoneId zone : cost.ids()) {
    const double usd = cost[zone] + prices[zone];
    if (usd < least) {
      next = std::exchange(least, usd);
      best = zone;
    } else {
      next = std::min(next, usd);
    }
  }
  return {best, std::isfinite(next) ? next - least : 0};
}

void Gathering::gather(std::vector<CommodityId> members) {
  Commodity all = workload_.commodities[members.front()];
  all.portions.clear();
  for (std::size_t i = 1; i < members.size(); ++i) {
    const Commodity& member = workload_.commodities[members[i]];
    merge(all, member);
    all.zones = ZoneSet(all.zones.bits() & member.zones.bits());
  }
  if (members.size() > 1) all.unserved_steps.clear();
  price_unserved(workload_, members, all);
  gathered_.commodities.push_back(std::move(all));
  members_.push_back(std::move(members));
}

Amounts Gathering::deal(const NodeClasses& classes, const Amounts& gathered) const {
  const std::size_t zones = gathered.zone_price.size();
  std::map<Kind, Way> ways;
  for (const CommodityId id : gathered_.commodities.ids()) {
    Way& way = ways[kind_of(gathered_.commodities[id])];
    if (way.members.empty()) way.room.assign(zones, 0), way.in_class.resize(zones);
    way.members.insert(way.members.end(), members_[id].begin(), members_[id].end());
    for (const ZoneId zone : way.room.ids()) way.room[zone] += gathered.in_zone[id][zone];
    for (const auto& [c, work] : gathered.in_class[id]) {
      const ZoneId zone = classes.classes[c].zone;
      way.room[zone] += work;
      way.in_class[zone].emplace_back(c, work);
    }
  }
  Amounts fine = gathered;
  fine.in_zone.assign(workload_.commodities.size(), ByZone(zones));
  fine.in_class.assign(workload_.commodities.size(), {});
  fine.unserved.assign(workload_.commodities.size(), 0.0);
  for (const auto& [kind, way] : ways) deal(way, fine);
  return fine;
}

void Gathering::deal(const Way& way, Amounts& fine) const {
  solver::ZoneTransportation problem;
  for (const double work : way.room) problem.steps.push_back({{work, 0}});
  for (const CommodityId member : way.members) add_commodity(workload_.commodities[member], problem);
  const solver::ZoneTransportationSolution solution = solver::solve_zone_transportation(problem);
  for (const ZoneId zone : way.room.ids()) {
    std::vector<std::pair<CommodityId, double>> members;
    for (std::size_t i = 0; i < way.members.size(); ++i)
      if (const double work = solution.amount[i * way.room.size() + zone.index()]; work > 0)
        members.emplace_back(way.members[i], work);
    if (workload_.commodities[way.members.front()].any_class)
      for (const auto& [member, work] : members) fine.in_zone[member][zone] = work;
    else
      deal_in_zone(members, way.in_class[zone], fine);
  }
  for (std::size_t i = 0; i < way.members.size(); ++i) fine.unserved[way.members[i]] = solution.unserved[i];
}

// One after the other.
void Gathering::deal_in_zone(const std::vector<std::pair<CommodityId, double>>& members,
                             std::vector<std::pair<ClassId, double>> classes, Amounts& fine) const {
  std::stable_sort(classes.begin(), classes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  auto place = classes.begin();
  for (const auto& [member, work] : members)
    for (double left = work; left > 0 && place != classes.end();) {
      const bool last = place + 1 == classes.end();  // takes what rounding leaves
      const double given = last ? left : std::min(left, place->second);
      if (given > 0) fine.in_class[member].emplace_back(place->first, given);
      left -= given, place->second -= given;
      if (!last && place->second <= 0) ++place;
    }
}

}  // namespace lips
