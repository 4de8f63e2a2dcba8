#include "policies/lips/rounding.h"

#include <algorithm>
#include <cmath>

namespace lips {

namespace {

struct Bin {
  std::uint32_t place;  // zone or class; the last one stands for what is left unserved
  double wanted;
};

// Where the next task goes: the bin that is furthest behind, and what is left unserved (the last) only when no other
// wants half a task.
Bin& next_bin(std::vector<Bin>& bins, bool leaves_some, double work) {
  if (bins.size() == 1) return bins.front();
  const auto before = [](const Bin& a, const Bin& b) { return a.wanted < b.wanted; };
  Bin& most = *std::max_element(bins.begin(), bins.end() - leaves_some, before);
  return leaves_some && most.wanted < work / 2 && bins.back().wanted > most.wanted ? bins.back() : most;
}

// Deals the commodity's portions, the most urgent first.
template <class Give>
void deal(const Workload& workload, const Commodity& commodity, std::vector<Bin>& bins, bool leaves_some, Give give) {
  for (std::uint32_t p : commodity.portions) {
    const Portion& portion = workload.portions[p];
    std::uint32_t left = portion.tasks;
    while (left > 0) {
      Bin& bin = next_bin(bins, leaves_some, portion.work);
      const double whole = bins.size() == 1 ? left : std::floor(bin.wanted / portion.work + 0.5);
      const auto count = static_cast<std::uint32_t>(std::clamp(whole, 1.0, static_cast<double>(left)));
      give(bin.place, Quota{p, count});
      bin.wanted -= count * portion.work;
      left -= count;
    }
  }
}

}  // namespace

WholeQuotas round_amounts(const ClusterSnapshot& cluster, const Workload& workload, const Amounts& amounts,
                          const NodeClasses& classes) {
  const std::uint32_t zones = static_cast<std::uint32_t>(cluster.zones.size());
  const std::uint32_t class_count = static_cast<std::uint32_t>(classes.classes.size());
  WholeQuotas result;
  result.zone.resize(zones);
  result.in_class.resize(class_count);
  std::vector<double> zone_owed(zones + 1, 0.0), class_owed(class_count + 1, 0.0);
  std::vector<Bin> bins;
  for (std::size_t u = 0; u < workload.commodities.size(); ++u) {
    const Commodity& commodity = workload.commodities[u];
    const std::uint32_t unserved = commodity.any_class ? zones : class_count;
    std::vector<double>& owed = commodity.any_class ? zone_owed : class_owed;
    std::vector<std::vector<Quota>>& lists = commodity.any_class ? result.zone : result.in_class;
    const double tiny = 1e-9 * commodity.work;
    bins.clear();
    if (commodity.any_class) {
      for (std::uint32_t z = 0; z < zones; ++z)
        if (amounts.in_zone[u][z] > tiny) bins.push_back({z, amounts.in_zone[u][z]});
    } else {
      for (const auto& [c, work] : amounts.in_class[u])
        if (work > tiny) bins.push_back({c, work});
    }
    const bool leaves_some = amounts.unserved[u] > tiny || bins.empty();
    if (leaves_some) bins.push_back({unserved, amounts.unserved[u]});
    if (bins.size() > 1)
      for (Bin& bin : bins) bin.wanted += owed[bin.place];
    deal(workload, commodity, bins, leaves_some, [&](std::uint32_t place, Quota quota) {
      if (place == unserved) return;
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
    const Portion& left = workload.portions[a.portion];
    const Portion& right = workload.portions[b.portion];
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
