#include "policies/lips/account/account.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "model/peers.h"
#include "model/task_bill.h"
#include "policies/lips/placing/fetch.h"
#include "policies/lips/prices/price_terms.h"
#include "policies/lips/program/paid_parts.h"

namespace lips {

namespace {

struct Load {
  double work = 0, memory = 0, slots = 0;  // in the class's time
};

// Price of the room in the class's first steps that hold the load, and of waiting for them; consumes them. Returns the
// work that must be removed for the rest to fit.
double take(const NodeClass& group, std::vector<CapacityStep>& steps, Load load, double& usd) {
  const auto share = [](double wanted, double have) { return have > 0 ? std::min(1.0, wanted / have) : 0.0; };
  const Load all = load;
  for (CapacityStep& step : steps) {
    if (step.work <= 0) continue;  // as in the program
    const double part =
        std::max({share(load.work, step.work), share(load.memory, step.memory), share(load.slots, step.slots)});
    usd += part * step.work * (step.waiting_price + group.price_of_room().value());
    load.work -= std::min(load.work, part * step.work);
    load.memory -= std::min(load.memory, part * step.memory);
    load.slots -= std::min(load.slots, part * step.slots);
    step.work *= 1 - part;
    step.memory *= 1 - part;
    step.slots *= 1 - part;
  }
  return all.work *
         std::max({share(load.work, all.work), share(load.memory, all.memory), share(load.slots, all.slots)});
}

double cost_of_unserved(const Workload& workload, const IdVector<PortionId, std::uint32_t>& planned) {
  double usd = 0;
  for (PortionId p : workload.portions.ids()) {
    const Portion& portion = workload.portions[p];
    const std::uint32_t left = portion.tasks - planned[p];
    if (left > 0) usd += left * portion.work * workload.commodities[portion.commodity].unserved_price;
  }
  return usd;
}

}  // namespace

namespace {

// The class's load of quotas that are bound to it.
Load load_of(const ClusterSnapshot& cluster, const NodeClass& group, const Workload& workload,
             const std::vector<Quota>& quotas, SideRows rows) {
  Load load;
  for (const Quota& quota : quotas) {
    const Portion& portion = workload.portions[quota.portion];
    const Resources& request = cluster.jobs[portion.job].request;
    const double time = quota.tasks * portion.work * occupancy(cluster, workload.commodities[portion.commodity], group);
    const double span = time / (cores_of(request) * group.speed);
    load.work += time;
    if (rows.memory) load.memory += request.memory.value() * span;
    if (rows.slots) load.slots += request.slots * span;
  }
  return load;
}

// Where the paid room of a class is a class of its own, no task takes memory of the one beside cores of the other.
class InParts {
 public:
  InParts(const NodeClass& group, const std::vector<CapacityStep>& steps) : group_(group) {
    for (const CapacityStep& step : steps) (step.paid ? paid_ : rest_).push_back(step);
  }

  // Tasks of that urgency take the cheapest of the ways to begin with some of the paid steps. `unserved`: the price of
  // work that no step holds.
  double take(double urgency, double work, const Load& load, double unserved) {
    // The class charges all work for the urgency of its jobs as if none of its room were paid for.
    const double too_much = (1 / urgency - 1) * (1 - price_of_paid_capacity) * group_.price.value() * work;
    std::optional<Way> best;
    for (std::size_t count = 0; count <= paid_.size(); ++count) {
      Way way{0, {paid_.begin(), paid_.begin() + static_cast<std::ptrdiff_t>(count)}, rest_};
      const double part = part_held(load, way.paid);
      way.usd -= part * too_much;
      const double left = lips::take(group_, way.paid, times(load, part), way.usd) +
                          lips::take(group_, way.rest, times(load, 1 - part), way.usd);
      way.usd += left * unserved;
      if (!best || way.usd < best->usd) best = std::move(way);
      if (part >= 1) break;
    }
    std::copy(best->paid.begin(), best->paid.end(), paid_.begin());
    rest_ = std::move(best->rest);
    return best->usd;
  }

  std::vector<CapacityStep> left() const {
    std::vector<CapacityStep> all = paid_;
    all.insert(all.end(), rest_.begin(), rest_.end());
    return all;
  }

 private:
  struct Way {
    double usd = 0;
    std::vector<CapacityStep> paid, rest;  // what it leaves of them
  };
  static Load times(const Load& load, double part) { return {part * load.work, part * load.memory, part * load.slots}; }
  // The part of the load that the steps hold together.
  static double part_held(const Load& load, const std::vector<CapacityStep>& steps) {
    Load room;
    for (const CapacityStep& step : steps)
      if (step.work > 0) room.work += step.work, room.memory += step.memory, room.slots += step.slots;
    double part = 1;
    for (const auto& [wanted, have] :
         {std::pair(load.work, room.work), std::pair(load.memory, room.memory), std::pair(load.slots, room.slots)})
      if (wanted > 0) part = std::min(part, have / wanted);
    return part;
  }

  const NodeClass& group_;
  std::vector<CapacityStep> paid_, rest_;  // cheapest first
};

// The room that the quotas of such a class take, and the wait for it. Consumes the steps. Those to which dollars are
// heavier choose first. `load`: of quotas.
template <class LoadOf>
double cost_in_parts(const NodeClass& group, const Workload& workload, const std::vector<Quota>& quotas,
                     std::vector<CapacityStep>& steps, double unserved, LoadOf load) {
  std::map<double, std::vector<Quota>> by_urgency;
  for (const Quota& quota : quotas)
    by_urgency[workload.commodities[workload.portions[quota.portion].commodity].urgency].push_back(quota);
  InParts parts(group, steps);
  double usd = 0;
  for (const auto& [urgency, same] : by_urgency) {
    double work = 0;
    for (const Quota& quota : same) work += quota.tasks * workload.portions[quota.portion].work;
    usd += parts.take(urgency, work, load(same), unserved);
  }
  steps = parts.left();
  return usd;
}

// Price of the work on the rest of the zone's steps, cheapest first; `memory` is in MiB-seconds per CPU-second at
// speed 1. Work that no step holds stays in `work`.
double price_in_zone(const NodeClasses& classes, const IdVector<ClassId, std::vector<CapacityStep>>& steps, ZoneId zone,
                     double memory, double& work) {
  struct Step {
    double use, room, work, most;
  };
  std::vector<Step> left;
  for (ClassId c : classes.classes.ids()) {
    const NodeClass& group = classes.classes[c];
    if (group.zone != zone) continue;
    for (const CapacityStep& step : steps[c]) {
      const double most = memory > 0 ? std::min(step.work, step.memory * group.speed / memory) : step.work;
      // If memory runs out first, cores stay unused although the plan waits for them.
      const double room = step.waiting_price + group.price_of_room().value();
      if (most > 0) left.push_back({group.price_of_use().value(), room * step.work / most, step.work, most});
    }
  }
  std::sort(left.begin(), left.end(), [](const Step& a, const Step& b) { return a.use + a.room < b.use + b.room; });
  double usd = 0;
  for (const Step& step : left) {
    const double used = std::min(work, step.most);
    usd += used * (step.use + step.room);
    work -= used;
  }
  return usd;
}

}  // namespace

double cost_of_quotas(const ClusterSnapshot& cluster, const NodeClasses& classes, const Workload& workload,
                      const WholeQuotas& quotas) {
  IdVector<ClassId, std::vector<CapacityStep>> steps = classes.steps;
  for (std::vector<CapacityStep>& of_class : steps)  // as the program takes them
    std::stable_sort(of_class.begin(), of_class.end(),
                     [](const CapacityStep& a, const CapacityStep& b) { return a.waiting_price < b.waiting_price; });
  const PaidParts parts(classes, workload);
  IdVector<PortionId, std::uint32_t> planned(workload.portions.size(), 0);
  const SideRows rows = side_rows(workload, classes);
  std::optional<double> least_memory;  // of tasks that take any class
  if (rows.memory)
    for (const Commodity& commodity : workload.commodities)
      if (commodity.any_class)
        least_memory =
            std::min(least_memory.value_or(commodity.least_memory_per_core), commodity.least_memory_per_core);
  const double memory = least_memory.value_or(0);
  double usd = 0, dearest_unserved = 0;
  const auto count = [&](const Quota& quota, ZoneId zone) {
    const Portion& portion = workload.portions[quota.portion];
    const Commodity& commodity = workload.commodities[portion.commodity];
    planned[quota.portion] += quota.tasks;
    usd += quota.tasks * portion.work * commodity.non_cpu_cost[zone];
    dearest_unserved = std::max(dearest_unserved, commodity.unserved_price);
    return quota.tasks * portion.work;
  };
  for (ClassId c : classes.classes.ids()) {
    const NodeClass& group = classes.classes[c];
    for (const Quota& quota : quotas.in_class[c]) {
      const Portion& portion = workload.portions[quota.portion];
      const double price =
          group.price_of_use().value() + class_charges(classes, group, workload.commodities[portion.commodity]);
      usd += count(quota, group.zone) * price;
    }
    if (parts.is_parted(c)) {
      usd +=
          cost_in_parts(group, workload, quotas.in_class[c], steps[c], dearest_unserved,
                        [&](const std::vector<Quota>& same) { return load_of(cluster, group, workload, same, rows); });
      continue;
    }
    const double too_much = take(group, steps[c], load_of(cluster, group, workload, quotas.in_class[c], rows), usd);
    usd += too_much * dearest_unserved;
  }
  for (ZoneId z : quotas.zone.ids()) {
    double work = 0;
    for (const Quota& quota : quotas.zone[z]) work += count(quota, z);
    usd += price_in_zone(classes, steps, z, memory, work);
    usd += work * dearest_unserved;
  }
  return usd + cost_of_unserved(workload, planned);
}

double cost_of_placements(const NodeClasses& classes, const Workload& workload,
                          const std::vector<Placement>& placements, const ClusterSnapshot& cluster,
                          const std::vector<PoolRow>& pools) {
  const PricedPreferences preferences = price_preferences(classes, workload, placements, cluster, pools);
  double usd = (preferences.waiting + preferences.fairness + preferences.locality).value();
  for (const Placement& placement : placements) {
    const Portion& portion = workload.portions[placement.portion];
    const NodeClass& group = classes.classes[classes.class_of[placement.node]];
    const Commodity& commodity = workload.commodities[portion.commodity];
    const double price = group.price.value() + commodity.non_cpu_cost[group.zone] - commodity.virtual_cost[group.zone];
    usd += placement.tasks * portion.work * price;
  }
  return usd;
}

PricedPreferences price_preferences(const NodeClasses& classes, const Workload& workload,
                                    const std::vector<Placement>& placements, const ClusterSnapshot& cluster,
                                    const std::vector<PoolRow>& pools) {
  IdVector<PortionId, std::uint32_t> planned(workload.portions.size(), 0);
  IdVector<PoolId, double> work(cluster.pools.size(), 0.0), demand(cluster.pools.size(), 0.0);
  PricedPreferences result;
  for (const Portion& portion : workload.portions)
    demand[cluster.jobs[portion.job].pool] += portion.tasks * portion.work;
  const bool preferred =
      std::any_of(workload.commodities.begin(), workload.commodities.end(), [](const Commodity& commodity) {
        return std::any_of(commodity.virtual_cost.begin(), commodity.virtual_cost.end(),
                           [](double usd) { return usd != 0; });
      });
  for (const Placement& placement : placements) {
    const Portion& portion = workload.portions[placement.portion];
    planned[placement.portion] += placement.tasks;
    if (!pools.empty()) work[cluster.jobs[portion.job].pool] += placement.tasks * portion.work;
    if (!preferred) continue;
    const ZoneId zone = classes.classes[classes.class_of[placement.node]].zone;
    result.locality += Usd(placement.tasks * portion.work * workload.commodities[portion.commodity].virtual_cost[zone]);
  }
  for (const PoolRow& pool : pools)
    if (pool.shortfall_price > 0)
      result.fairness +=
          Usd(pool.shortfall_price * std::max(0.0, std::min(pool.least, demand[pool.pool]) - work[pool.pool]));
  result.waiting = Usd(cost_of_unserved(workload, planned));
  return result;
}

void compare_with_bound(const Amounts& amounts, PlanAccount& account) {
  account.loss = std::max(Usd(0), *account.objective - Usd(amounts.objective));
  if (account.lower_bound)
    account.gap = (*account.objective - *account.lower_bound) / std::max(Usd(1e-12), *account.lower_bound);
}

void add_term(std::vector<TermDollars>& terms, const TermDollars& more) {
  const auto place =
      std::lower_bound(terms.begin(), terms.end(), more.term,
                       [](const TermDollars& known, const std::string& name) { return known.term < name; });
  if (place != terms.end() && place->term == more.term)
    place->usd += more.usd;
  else
    terms.insert(place, more);
}

std::vector<TermDollars> dollars_by_term(const NodeClasses& classes, const Workload& workload,
                                         const std::vector<Placement>& placements) {
  std::map<std::string_view, double> usd_of;  // names are the table's own
  for (const Placement& placement : placements) {
    const Portion& portion = workload.portions[placement.portion];
    const NodeClass& group = classes.classes[classes.class_of[placement.node]];
    const double work = placement.tasks * portion.work;
    each_price(classes, group, workload.commodities[portion.commodity],
               [&](std::string_view term, PriceKind, double usd) { usd_of[term] += usd * work; });
  }
  std::vector<TermDollars> terms;
  for (const auto& [term, usd] : usd_of) terms.push_back({std::string(term), Usd(usd)});
  return terms;
}

void fill_account(const PolicyInput& input, const NodeClasses& classes, const Workload& workload,
                  const Amounts& amounts, Plan& plan) {
  const ClusterSnapshot& cluster = input.cluster;
  PlanAccount& account = plan.account;
  bool peers = false;
  const std::size_t count = plan.assignments.size();
  for (std::size_t i = 0; i < count; ++i) {
    fetch_assignment(cluster, plan.assignments[std::min(i + 16, count - 1)]);
    const Assignment& assignment = plan.assignments[i];
    const Task& task = cluster.tasks[assignment.task];
    const Bill bill = task_bill(cluster, input.costs, task, assignment);
    account.cpu += bill.cpu;
    account.transfer += bill.transfer;
    account.shuffle += bill.shuffle;
    peers |= cluster.jobs[task.job].whole.peers;
  }
  if (peers) account.shuffle += exchange_cost(cluster, input.costs, plan.assignments);
  for (const DataMove& move : plan.moves)
    account.copies += cluster.blocks[move.block].size *
                      input.costs.transfer(cluster.stores[move.from].zone, cluster.stores[move.to].zone);
  account.form = amounts.form;
  account.fell_back = amounts.fell_back;
  account.groups = static_cast<std::uint32_t>(workload.commodities.size());
  account.classes = static_cast<std::uint32_t>(classes.classes.size());
  account.rows = amounts.rows;
  account.columns = amounts.columns;
  if (!amounts.fell_back) account.lower_bound = Usd(amounts.lower_bound);
  for (ZoneId z : amounts.zone_price.ids())
    account.shadow_prices.push_back(
        {fmt::format("zone {}", cluster.zones[z].name), amounts.zone_price[z] * 3600, "USD per core-hour at speed 1"});
  account.shadow_prices.insert(account.shadow_prices.end(), amounts.shadow_prices.begin(), amounts.shadow_prices.end());
}

}  // namespace lips
