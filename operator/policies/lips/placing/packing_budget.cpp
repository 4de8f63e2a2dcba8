#include "policies/lips/placing/packing_budget.h"

#include <algorithm>
#include <cmath>

namespace lips {

namespace {

// Tasks of `use` each in what is left, with room for rounding errors.
double tasks_in(double left, double use) { return use > 0 ? std::max(0.0, left * (1 + 1e-12) + 1e-7) / use : 1e18; }

}  // namespace

PackingBudget::PackingBudget(const ClusterSnapshot& cluster, const CostModel& costs, const NodeClasses& classes,
                             const Workload& workload, const Demands& demands, const BudgetLimits& limits)
    : cluster_(cluster),
      costs_(costs),
      classes_(classes),
      workload_(workload),
      demands_(demands),
      pools_left_(limits.pool_core_seconds) {
  for (const auto& steps : classes.steps) {
    CapacityStep all;
    for (const CapacityStep& step : steps) all.work += step.work, all.memory += step.memory, all.slots += step.slots;
    classes_left_.push_back(all);
  }
  if (limits.link > Mebibytes(0))
    links_left_.resize(cluster.zones.size(), IdVector<ZoneId, double>(cluster.zones.size(), limits.link.value()));
}

PackingBudget::Use PackingBudget::use(const Demand& demand, ClassId c) const {
  const NodeClass& group = classes_.classes[c];
  const Resources& request = *demand.request;
  const double work = class_time(cluster_, workload_.commodities[demand.commodity], group, demand.work);
  const double span = work / (cores_of(request) * group.speed);
  return {work, request.memory.value() * span, request.slots * span, request.cpu.value() * span, demand.mebibytes};
}

ZoneId PackingBudget::source(const Commodity& commodity, ZoneId to, double mebibytes) const {
  ZoneId best;
  for (ZoneId from : cluster_.zones.ids())
    if (commodity.zones.contains(from) && tasks_in(link(from, to), mebibytes) >= 1 &&
        (!best.valid() || costs_.transfer(from, to) < costs_.transfer(best, to)))
      best = from;
  return best;
}

double PackingBudget::tasks(PortionId portion, ClassId c) const {
  const Demand& demand = demands_[portion];
  const Use one = use(demand, c);
  const CapacityStep& left = classes_left_[c];
  double count =
      std::min({tasks_in(left.work, one.work), tasks_in(left.memory, one.memory), tasks_in(left.slots, one.slots)});
  if (!pools_left_.empty()) count = std::min(count, tasks_in(pools_left_[demand.pool], one.core_seconds));
  const ZoneId zone = classes_.classes[c].zone;
  if (crosses(demand, zone)) {
    const ZoneId from = source(workload_.commodities[demand.commodity], zone, one.mebibytes);
    count = from.valid() ? std::min(count, tasks_in(link(from, zone), one.mebibytes)) : 0;
  }
  return std::floor(count);
}

ZoneId PackingBudget::take(PortionId portion, ClassId c, std::uint32_t tasks) {
  const Demand& demand = demands_[portion];
  const Use one = use(demand, c);
  CapacityStep& left = classes_left_[c];
  left.work -= tasks * one.work;
  left.memory -= tasks * one.memory;
  left.slots -= tasks * one.slots;
  if (!pools_left_.empty()) pools_left_[demand.pool] -= tasks * one.core_seconds;
  const ZoneId zone = classes_.classes[c].zone;
  if (!crosses(demand, zone)) return ZoneId::none();
  const ZoneId from = source(workload_.commodities[demand.commodity], zone, one.mebibytes);
  link(from, zone) -= tasks * one.mebibytes;
  return from;
}

}  // namespace lips
