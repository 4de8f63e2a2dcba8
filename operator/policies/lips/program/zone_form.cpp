#include "policies/lips/program/zone_form.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "policies/lips/program/at_once_bound.h"
#include "solver/transportation.h"

namespace lips {

namespace {

// Capacity below this share of the largest step is a rounding error of subtraction.
constexpr double tolerance = 1e-12;

struct PricedStep {
  double price, work;
  ClassId of_class;
};

IdVector<ZoneId, std::vector<PricedStep>> steps_by_zone(const NodeClasses& classes, std::size_t zones) {
  IdVector<ZoneId, std::vector<PricedStep>> result(zones);
  double largest = 0;
  for (const auto& steps : classes.steps)
    for (const CapacityStep& step : steps) largest = std::max(largest, step.work);
  for (ClassId c : classes.classes.ids())
    for (const CapacityStep& step : classes.steps[c])
      if (step.work > tolerance * largest)
        result[classes.classes[c].zone].push_back(
            {classes.classes[c].price.value() + step.waiting_price, step.work, c});
  for (auto& steps : result)
    std::stable_sort(steps.begin(), steps.end(),
                     [](const PricedStep& a, const PricedStep& b) { return a.price < b.price; });
  return result;
}

// Splits each zone's load over its classes' steps, the cheapest first.
IdVector<ClassId, double> cheapest_steps(const IdVector<ZoneId, std::vector<PricedStep>>& steps,
                                         const IdVector<ZoneId, double>& zone_load, std::size_t classes) {
  IdVector<ClassId, double> open_work(classes, 0.0);
  for (ZoneId z : zone_load.ids()) {
    double left = zone_load[z];
    for (const PricedStep& step : steps[z]) {
      const double used = std::min(left, step.work);
      open_work[step.of_class] += used;
      left -= used;
      if (left <= 0) break;
    }
  }
  return open_work;
}

// Weak duality at the zones' prices, with the least costs of any plan. An unused zone has the price of its cheapest
// step.
double least_bound(const ClusterSnapshot& cluster, const CostModel& costs, const NodeClasses& classes,
                   const Workload& workload, IdVector<ZoneId, double> zone_price) {
  IdVector<ZoneId, double> cheapest_step(zone_price.size(), std::numeric_limits<double>::infinity());
  const auto each_step = [&](auto visit) {
    for (ClassId c : classes.classes.ids())
      for (const CapacityStep& step : classes.steps[c])
        if (step.work > 0)
          visit(classes.classes[c].zone, classes.classes[c].price.value() + step.waiting_price, step.work);
  };
  each_step([&](ZoneId zone, double price, double) { cheapest_step[zone] = std::min(cheapest_step[zone], price); });
  for (ZoneId z : zone_price.ids()) zone_price[z] = std::max(zone_price[z], cheapest_step[z]);
  double bound = 0;
  each_step([&](ZoneId zone, double price, double work) { bound += std::min(0.0, price - zone_price[zone]) * work; });
  for (const Commodity& commodity : workload.commodities) {
    double cheapest = commodity.unserved_price;
    for (ZoneId z : zone_price.ids()) cheapest = std::min(cheapest, commodity.least.non_cpu_cost[z] + zone_price[z]);
    bound += commodity.work * cheapest;
  }
  if (workload.overrun > 0) {
    Rents rents;
    for (const NodeClass& group : classes.classes)
      rents.cpu.push_back(std::max(0.0, zone_price[group.zone] - group.price.value()));
    bound = std::min(bound, at_once_bound({cluster, costs, classes, workload, rents}, bound));
  }
  return std::max(0.0, bound);
}

}  // namespace

bool zone_form_holds(const Workload& workload) {
  return std::all_of(workload.commodities.begin(), workload.commodities.end(), [](const Commodity& commodity) {
    return commodity.any_class && !commodity.shared.valid() &&
           commodity.non_cpu_cost.size() <= solver::most_transportation_zones;
  });
}

Amounts solve_zone_form(const ClusterSnapshot& cluster, const CostModel& costs, const NodeClasses& classes,
                        const Workload& workload) {
  const std::size_t zones = cluster.zones.size(), count = workload.commodities.size();
  solver::ZoneTransportation problem;
  problem.steps.resize(zones);
  const auto steps = steps_by_zone(classes, zones);
  for (ZoneId z : steps.ids())
    for (const PricedStep& step : steps[z]) problem.steps[z.index()].push_back({step.work, step.price});
  problem.unit_cost.reserve(count * zones);
  for (const Commodity& commodity : workload.commodities) {
    problem.supply.push_back(commodity.work);
    problem.unserved_price.push_back(commodity.unserved_price);
    problem.unit_cost.insert(problem.unit_cost.end(), commodity.non_cpu_cost.begin(), commodity.non_cpu_cost.end());
  }
  solver::ZoneTransportationSolution solution = solver::solve_zone_transportation(problem);

  Amounts amounts;
  amounts.form = ModelForm::zone;
  amounts.in_class.resize(count);
  amounts.in_zone.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    amounts.in_zone.push_back(ByZone(std::span(solution.amount).subspan(i * zones, zones)));
  }
  amounts.unserved = IdVector<CommodityId, double>(std::move(solution.unserved));
  amounts.zone_price = IdVector<ZoneId, double>(std::move(solution.zone_dual));
  amounts.objective = solution.objective;
  amounts.lower_bound = workload.costs_are_least ? solution.lower_bound
                                                 : least_bound(cluster, costs, classes, workload, amounts.zone_price);
  amounts.rows = static_cast<std::int64_t>(count + zones);
  amounts.columns = static_cast<std::int64_t>(count * zones);
  for (const auto& list : steps) amounts.columns += static_cast<std::int64_t>(list.size());
  amounts.open_work =
      cheapest_steps(steps, IdVector<ZoneId, double>(std::move(solution.zone_load)), classes.classes.size());
  return amounts;
}

solver::LinearProgram zone_form_program(const ClusterSnapshot& cluster, const NodeClasses& classes,
                                        const Workload& workload) {
  solver::LinearProgram program;
  const auto steps = steps_by_zone(classes, cluster.zones.size());
  IdVector<ZoneId, solver::RowId> zone_row(steps.size());
  for (solver::RowId& row : zone_row) row = program.add_row(-solver::infinity, 0);
  for (ZoneId z : steps.ids())
    for (const PricedStep& step : steps[z]) {
      const solver::Entry entry{zone_row[z], -1};
      program.add_column(step.price, 0, step.work, {&entry, 1});
    }
  for (const Commodity& commodity : workload.commodities) {
    const solver::Entry own{program.add_row(commodity.work, commodity.work), 1};
    program.add_column(commodity.unserved_price, 0, commodity.work, {&own, 1});
    for (ZoneId z : steps.ids()) {
      const std::array<solver::Entry, 2> entries{own, solver::Entry{zone_row[z], 1}};
      program.add_column(commodity.non_cpu_cost[z], 0, commodity.work, entries);
    }
  }
  return program;
}

}  // namespace lips
