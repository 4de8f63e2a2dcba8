#include "policies/lips/rounding.h"

#include <algorithm>
#include <cmath>

namespace lips {

namespace {

struct Bin {
  std::uint32_t place;  // zone or class; the last one stands for the overflow
  double wanted;
};

// Where the next task goes: the bin that is furthest behind, and the overflow (the last) only when no other wants half
// a task.
Bin& next_bin(std::vector<Bin>& bins, bool overflows, double work) {
  if (bins.size() == 1) return bins.front();
  const auto before = [](const Bin& a, const Bin& b) { return a.wanted < b.wanted; };
  Bin& most = *std::max_element(bins.begin(), bins.end() - overflows, before);
  return overflows && most.wanted < work / 2 && bins.back().wanted > most.wanted ? bins.back() : most;
}

// Deals the unit's portions, the most urgent first.
template <class Give>
void deal(const Units& units, const Unit& unit, std::vector<Bin>& bins, bool overflows, Give give) {
  for (std::uint32_t p : unit.portions) {
    const Portion& portion = units.portions[p];
    std::uint32_t left = portion.tasks;
    while (left > 0) {
      Bin& bin = next_bin(bins, overflows, portion.work);
      const double whole = bins.size() == 1 ? left : std::floor(bin.wanted / portion.work + 0.5);
      const auto count = static_cast<std::uint32_t>(std::clamp(whole, 1.0, static_cast<double>(left)));
      give(bin.place, Quota{p, count});
      bin.wanted -= count * portion.work;
      left -= count;
    }
  }
}

}  // namespace

WholeQuotas round_amounts(const ClusterSnapshot& cluster, const Units& units, const Amounts& amounts,
                          const NodeClasses& classes) {
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
    const bool overflows = amounts.overflow[u] > tiny || bins.empty();
    if (overflows) bins.push_back({overflow, amounts.overflow[u]});
    if (bins.size() > 1)
      for (Bin& bin : bins) bin.wanted += owed[bin.place];
    deal(units, unit, bins, overflows, [&](std::uint32_t place, Quota quota) {
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
