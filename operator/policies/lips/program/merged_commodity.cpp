#include "policies/lips/program/merged_commodity.h"

#include <algorithm>

namespace lips {

namespace {

constexpr double unserved_steps = 8;  // of a merged commodity

}  // namespace

void merge(Commodity& into, const Commodity& commodity) {
  const double share = commodity.work / (into.work + commodity.work);
  for (ZoneId z : into.non_cpu_cost.ids())
    into.non_cpu_cost[z] += share * (commodity.non_cpu_cost[z] - into.non_cpu_cost[z]);
  into.unserved_price += share * (commodity.unserved_price - into.unserved_price);
  into.input_per_work += share * (commodity.input_per_work - into.input_per_work);
  into.longest = std::max(into.longest, commodity.longest);
  into.least_memory_per_core = std::min(into.least_memory_per_core, commodity.least_memory_per_core);
  into.work += commodity.work;
}

void price_unserved(const Workload& workload, std::vector<CommodityId>& members, Commodity& merged) {
  if (members.size() < 2) return;
  std::stable_sort(members.begin(), members.end(), [&](CommodityId a, CommodityId b) {
    return workload.commodities[a].unserved_price > workload.commodities[b].unserved_price;
  });
  double price = 0, work = 0;
  for (CommodityId id : members) {
    price += workload.commodities[id].unserved_price * workload.commodities[id].work;
    work += workload.commodities[id].work;
    if (work < merged.work / unserved_steps && id != members.back()) continue;
    merged.unserved_steps.emplace_back(price / work, work);
    price = work = 0;
  }
}

}  // namespace lips
