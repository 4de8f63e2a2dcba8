#include "policies/lips/rounding.h"

#include <algorithm>
#include <cmath>

namespace lips {

namespace {

struct Bin {
  std::uint32_t place;  // zone or class; the last one stands for the overflow
  double wanted;
};

// Deals the unit's portions, the most urgent first, to the bin that is furthest behind.
template <class Give>
void deal(const Units& units, const Unit& unit, std::vector<Bin>& bins, Give give) {
  for (std::uint32_t p : unit.portions) {
    const Portion& portion = units.portions[p];
    std::uint32_t left = portion.tasks;
    while (left > 0) {
      Bin* most = &bins.front();
      for (Bin& bin : bins)
        if (bin.wanted > most->wanted) most = &bin;
      double whole = std::floor(most->wanted / portion.work + 0.5);
      if (bins.size() == 1) whole = left;
      const auto count = static_cast<std::uint32_t>(std::clamp(whole, 1.0, static_cast<double>(left)));
      give(most->place, Quota{p, count});
      most->wanted -= count * portion.work;
      left -= count;
    }
  }
}

}  // namespace

WholeQuotas round_amounts(const ClusterSnapshot& cluster, const Units& units, const Amounts& amounts, const NodeClasses& classes) {
  const std::uint32_t zones = static_cast<std::uint32_t>(cluster.zones.size());
  const std::uint32_t class_count = static_cast<std::uint32_t>(classes.classes.size());
  WholeQuotas result;
  result.zone.resize(zones);
  result.in_class.resize(class_count);
  std::vector<double> zone_owed(zones + 1, 0.0), class_owed(class_count + 1, 0.0);
  std::vector<Bin> bins;
  for (std::size_t u = 0; u < units.units.size(); ++u) {
    const Unit& unit = units.units[u];
    const std::uint32_t overflow = unit.any_class ? zones : class_count;
    std::vector<double>& owed = unit.any_class ? zone_owed : class_owed;
    std::vector<std::vector<Quota>>& lists = unit.any_class ? result.zone : result.in_class;
    const double tiny = 1e-9 * unit.work;
    bins.clear();
    if (unit.any_class) {
      for (std::uint32_t z = 0; z < zones; ++z)
        if (amounts.in_zone[u][z] > tiny) bins.push_back({z, amounts.in_zone[u][z]});
    } else {
      for (const auto& [c, work] : amounts.in_class[u])
        if (work > tiny) bins.push_back({c, work});
    }
    if (amounts.overflow[u] > tiny || bins.empty()) bins.push_back({overflow, amounts.overflow[u]});
    if (bins.size() > 1)
      for (Bin& bin : bins) bin.wanted += owed[bin.place];
    deal(units, unit, bins, [&](std::uint32_t place, Quota quota) {
      if (place == overflow) return;
      std::vector<Quota>& list = lists[place];
      if (!list.empty() && list.back().portion == quota.portion)
        list.back().tasks += quota.tasks;
      else
        list.push_back(quota);
    });
    if (bins.size() > 1)
      for (const Bin& bin : bins) owed[bin.place] = bin.wanted;
  }
  const auto before = [&](const Quota& a, const Quota& b) {
    const Portion& left = units.portions[a.portion];
    const Portion& right = units.portions[b.portion];
    const std::int32_t high = cluster.jobs[left.job].priority, low = cluster.jobs[right.job].priority;
    if (high != low) return high > low;
    if (left.urgency != right.urgency) return left.urgency < right.urgency;
    return a.portion < b.portion;
  };
  for (auto* lists : {&result.zone, &result.in_class})
    for (std::vector<Quota>& list : *lists) std::sort(list.begin(), list.end(), before);
  return result;
}

}  // namespace lips
