#include "policies/lips/packing_budget.h"

#include <algorithm>
#include <cmath>

namespace lips {

namespace {

// Whole tasks of `use` each in what is left, with room for rounding errors.
double tasks_in(double left, double use) {
  return use > 0 ? std::floor(std::max(0.0, left * (1 + 1e-12) + 1e-7) / use) : 1e18;
}

}  // namespace

PackingBudget::PackingBudget(const ClusterSnapshot& cluster, const CostModel& costs, const NodeClasses& classes,
                             const Workload& workload, const BudgetLimits& limits)
    : cluster_(cluster), costs_(costs), classes_(classes), workload_(workload), pools_left_(limits.pool_core_seconds) {
  for (const auto& steps : classes.steps) {
    CapacityStep all;
    for (const CapacityStep& step : steps) all.work += step.work, all.memory += step.memory, all.slots += step.slots;
    classes_left_.push_back(all);
  }
  if (limits.link > Mebibytes(0))
    links_left_.resize(cluster.zones.size(), IdVector<ZoneId, double>(cluster.zones.size(), limits.link.value()));
}

PackingBudget::Use PackingBudget::use(PortionId portion, ClassId c) const {
  const Portion& of = workload_.portions[portion];
  const Commodity& commodity = workload_.commodities[of.commodity];
  const NodeClass& group = classes_.classes[c];
  const Resources& request = cluster_.jobs[of.job].request;
  const double work = of.work * occupancy(cluster_, commodity, group);
  const double span = work / (cores_of(request) * group.speed);
  const TaskGroup& tasks = cluster_.groups[of.job][of.group];
  return {work, request.memory.value() * span, request.slots * span, request.cpu.value() * span,
          tasks.reads ? tasks.input.value() : 0};
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
  const Use one = use(portion, c);
  const CapacityStep& left = classes_left_[c];
  double count =
      std::min({tasks_in(left.work, one.work), tasks_in(left.memory, one.memory), tasks_in(left.slots, one.slots)});
  const Portion& of = workload_.portions[portion];
  if (!pools_left_.empty())
    count = std::min(count, tasks_in(pools_left_[cluster_.jobs[of.job].pool], one.core_seconds));
  const Commodity& commodity = workload_.commodities[of.commodity];
  const ZoneId zone = classes_.classes[c].zone;
  if (!crosses(commodity, zone)) return count;
  const ZoneId from = source(commodity, zone, one.mebibytes);
  return from.valid() ? std::min(count, tasks_in(link(from, zone), one.mebibytes)) : 0;
}

ZoneId PackingBudget::take(PortionId portion, ClassId c, std::uint32_t tasks) {
  const Use one = use(portion, c);
  CapacityStep& left = classes_left_[c];
  left.work -= tasks * one.work;
  left.memory -= tasks * one.memory;
  left.slots -= tasks * one.slots;
  const Portion& of = workload_.portions[portion];
  if (!pools_left_.empty()) pools_left_[cluster_.jobs[of.job].pool] -= tasks * one.core_seconds;
  const Commodity& commodity = workload_.commodities[of.commodity];
  const ZoneId zone = classes_.classes[c].zone;
  if (!crosses(commodity, zone)) return ZoneId::none();
  const ZoneId from = source(commodity, zone, one.mebibytes);
  link(from, zone) -= tasks * one.mebibytes;
  return from;
}

}  // namespace lips
