#include "policies/lips/program/class_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "policies/lips/program/at_once_bound.h"
#include "policies/lips/program/class_merging.h"
#include "policies/lips/program/coarsening.h"
#include "policies/lips/program/column_prices.h"
#include "policies/lips/program/gathering.h"
#include "policies/lips/program/paid_parts.h"
#include "solver/certificate.h"
#include "solver/clp_backend.h"
#include "solver/transportation.h"

namespace lips {

namespace {

using solver::ColumnId;
using solver::RowId;
constexpr std::size_t more_columns = 16;  // per commodity and round
constexpr int rounds = 25;
constexpr std::int32_t rows_for_dual = 500;  // below, either simplex takes milliseconds
constexpr double coarse_gap = 2e-3;          // gap at which column generation stops for merged commodities

// A few zones are cheap for a gathering, and those are most of its classes.
constexpr StartColumns start_of_gathered{30, 16};

// Sets duals of the wrong sign to 0, which keeps the bound finite.
void clamp(const solver::LinearProgram& program, std::vector<double>& dual) {
  for (std::size_t row = 0; row < dual.size(); ++row) {
    if (dual[row] > 0 && program.row_lower()[row] == -solver::infinity) dual[row] = 0;
    if (dual[row] < 0 && program.row_upper()[row] == solver::infinity) dual[row] = 0;
  }
}

class ClassForm {
 public:
  explicit ClassForm(const ClassFormInput& input, ClassColumns columns = ClassColumns::start)
      : input_(input),
        cluster_(input.cluster),
        classes_(input.classes),
        workload_(input.workload),
        settings_(input.settings),
        form_(input, columns) {}

  Amounts solve() {
    solver::LpSolution solution;
    for (int round = 0;; ++round) {
      solver::LpSolution next = solve_program(round > 0 ? &solution.basis : nullptr);
      if (next.status != solver::LpStatus::optimal) return greedy_amounts(cluster_, classes_, workload_);
      solution = std::move(next);
      duals_ = solution.row_dual;
      clamp(form_.program, duals_);
      price_missing();
      const double bound = lower_bound(solution);
      best_bound_ = round == 0 ? bound : std::max(best_bound_, bound);
      const bool close = solution.objective - best_bound_ <= settings_.good_enough * std::abs(best_bound_);
      if (close || candidates_.empty() || round + 1 == rounds) break;
      const std::int32_t before = form_.program.columns();
      for (const auto& [commodity, c] : candidates_) form_.add_class(commodity, c);
      solution.basis.column.insert(solution.basis.column.end(),
                                   static_cast<std::size_t>(form_.program.columns() - before),
                                   solver::VariableStatus::at_lower);
    }
    Amounts amounts = read(solution);
    if (!workload_.costs_are_least)
      amounts.lower_bound = std::max(0.0, least_bound(workload_, least_within_the_horizon()));
    return amounts;
  }

  // A bound on the cost of other commodities under this program's prices; all other rows must be the same.
  double bound_for(const Workload& workload) const {
    if (workload.costs_are_least) return lagrangian_bound(workload, Terms::expected, duals_);
    return least_bound(workload, lagrangian_bound(workload, Terms::least, duals_));
  }
  double bound_at(std::vector<double> dual) const {
    clamp(form_.program, dual);
    return lagrangian_bound(workload_, Terms::expected, dual);
  }

  // The bound of this program at the prices of the same one with merged classes: work costs the same in all of them.
  double bound_at_prices_of(const ClassForm& other, const ClassMerging& merging) {
    const auto take = [&](RowId row, RowId from, double times = 1) {
      duals_[row.index()] = times * other.duals_[from.index()];
    };
    const auto take_all = [&](const auto& rows, const auto& from) {
      for (auto row = rows.begin(), same = from.begin(); row != rows.end(); ++row, ++same)
        take(row->second, same->second);
    };
    duals_.assign(static_cast<std::size_t>(form_.program.rows()), 0.0);
    for (const ClassId c : classes_.classes.ids()) {
      const ClassId merged = merging.of(c);
      take(form_.cpu_row[c], other.form_.cpu_row[merged]);
      duals_[form_.cpu_row[c].index()] += merging.surcharge(c);
      if (!form_.memory_row.empty() && !other.form_.memory_row.empty())
        take(form_.memory_row[c], other.form_.memory_row[merged], merging.speedup(c));
      if (!form_.slot_row.empty() && !other.form_.slot_row.empty())
        take(form_.slot_row[c], other.form_.slot_row[merged], merging.speedup(c));
    }
    for (const ZoneId zone : form_.zone_row.ids()) take(form_.zone_row[zone], other.form_.zone_row[zone]);
    for (const ZoneId from : form_.link_row.ids())
      for (const ZoneId to : form_.link_row.ids()) take(form_.link_row[from][to], other.form_.link_row[from][to]);
    take_all(form_.share_row, other.form_.share_row);
    take_all(form_.maximum_row, other.form_.maximum_row);
    clamp(form_.program, duals_);
    return bound_for(workload_);
  }

 private:
  solver::LpSolution solve_program(const solver::Basis* start) const {
    solver::LpOptions options;
    // New columns leave the old basis feasible. A program of starting columns alone has few columns a row.
    const bool large = form_.program.rows() > rows_for_dual;
    options.algorithm = !start && large ? solver::Algorithm::automatic : solver::Algorithm::primal;
    options.max_iterations = settings_.max_iterations;
    options.presolve = !start;
    options.start = start;
    solver::LpSolution solution = solver::solve(form_.program, options);
    if (solution.status == solver::LpStatus::optimal || !start) return solution;
    options.start = nullptr;
    return solver::solve(form_.program, options);
  }

  // With copies as columns, the general certificate prices the rows that tie them to their readers.
  double lower_bound(const solver::LpSolution& solution) const {
    if (form_.copies.empty()) return lagrangian_bound(workload_, Terms::expected, duals_);
    return solver::certify(form_.program, solution.primal, duals_).lower_bound + missing_;
  }

  // The bound for plans of any policy.
  double least_bound(const Workload& workload, double within_the_horizon) const {
    if (workload.overrun <= 0) return within_the_horizon;
    return std::min(within_the_horizon,
                    at_once_bound({cluster_, input_.costs, classes_, workload, rents()}, within_the_horizon));
  }

  Rents rents() const {
    Rents rents;
    const auto add = [&](const IdVector<ClassId, RowId>& rows, IdVector<ClassId, double>& to) {
      for (RowId row : rows) to.push_back(std::max(0.0, -duals_[row.index()]));
    };
    add(form_.cpu_row, rents.cpu);
    add(form_.memory_row, rents.memory);
    add(form_.slot_row, rents.slots);
    rents.shares = IdVector<PoolId, double>(cluster_.pools.size(), 0.0);
    for (const auto& [pool, row] : form_.share_row) {
      rents.shares[pool] = std::max(0.0, duals_[row.index()]);
      rents.all_shares += rents.shares[pool] * form_.program.row_lower()[row.index()];
    }
    return rents;
  }

  double least_within_the_horizon() const {
    if (form_.copies.empty() || !workload_.copies_pay_off_once)
      return lagrangian_bound(workload_, Terms::least, duals_);
    const ClassFormProgram whole(input_, ClassColumns::all, Terms::least);
    const std::vector<double> nothing(static_cast<std::size_t>(whole.program.columns()), 0.0);
    return solver::certify(whole.program, nothing, duals_).lower_bound;
  }

  // Weak duality with the commodities' rows relaxed last: each commodity takes its cheapest column at the given prices,
  // every other column its better bound. Valid for every dual vector whose signs are right.
  double lagrangian_bound(const Workload& workload, Terms terms, std::vector<double> dual) const {
    const solver::LinearProgram& program = form_.program;
    double bound = 0;
    std::fill_n(dual.begin(), form_.commodity_row.size(), 0.0);
    if (terms == Terms::least) {
      for (const auto& [zone, row] : form_.space_row)  // of copies, which are left out here
        if (row.valid()) dual[row.index()] = 0;
      raise_zone_prices(dual);
    }
    for (std::size_t row = 0; row < dual.size(); ++row)
      if (dual[row] != 0) bound += dual[row] * (dual[row] > 0 ? program.row_lower()[row] : program.row_upper()[row]);
    for (std::int32_t i = 0; i < form_.supply_columns; ++i)
      bound += std::min(0.0, reduced_cost(i, dual)) * program.column_upper()[ColumnId(i).index()];
    ColumnPrices prices(input_, form_, terms, dual);
    for (const Commodity& commodity : workload.commodities) {
      const double served = prices.least(commodity);
      if (commodity.unserved_steps.empty()) bound += commodity.work * std::min(served, commodity.unserved_price);
      for (const auto& [unserved, work] : commodity.unserved_steps) bound += work * std::min(served, unserved);
    }
    return bound;
  }

  // An unused zone may have any price up to its cheapest class's. The highest price gives the best bound for
  // commodities whose other costs are lower there; for a zone without room no price is too high.
  void raise_zone_prices(std::vector<double>& dual) const {
    constexpr double no_room = 1e9;  // USD per CPU-second
    for (ZoneId zone : form_.zone_row.ids()) {
      double& price = dual[form_.zone_row[zone].index()];
      double rise = no_room;
      for (ClassId c : classes_.classes.ids())
        if (classes_.classes[c].zone == zone && form_.program.column_upper()[form_.open_column[c].index()] > 0)
          rise = std::min(rise, std::max(0.0, reduced_cost(form_.open_column[c], dual)));
      price -= rise;
    }
  }

  double reduced_cost(ColumnId column, const std::vector<double>& dual) const {
    const solver::LinearProgram& program = form_.program;
    double cost = program.cost()[column.index()];
    for (auto e = static_cast<std::size_t>(program.column_start()[column.index()]);
         e < static_cast<std::size_t>(program.column_start()[column.index() + 1]); ++e)
      cost -= dual[static_cast<std::size_t>(program.row_index()[e])] * program.value()[e];
    return cost;
  }

  // Prices the columns outside the program: candidates_ are those that would help, missing_ is the most by which they
  // could lower the bound (all of a commodity's work in its best one).
  void price_missing() {
    candidates_.clear();
    missing_ = 0;
    ColumnPrices prices(input_, form_, Terms::expected, duals_);
    IdVector<ClassId, bool> present(classes_.classes.size(), false);
    std::vector<std::pair<double, ClassId>> found;
    for (CommodityId id : workload_.commodities.ids()) {
      const Commodity& commodity = workload_.commodities[id];
      if (commodity.any_class) continue;
      for (ClassId c : form_.classes_of[id]) present[c] = true;
      found.clear();
      const double own = duals_[form_.commodity_row[id].index()];
      prices.each_class(commodity, [&](ClassId c, double usd) {
        if (usd < own && !present[c]) found.emplace_back(usd - own, c);
      });
      for (ClassId c : form_.classes_of[id]) present[c] = false;
      if (found.empty()) continue;
      std::sort(found.begin(), found.end());
      missing_ += commodity.work * found.front().first;
      for (std::size_t i = 0; i < std::min(more_columns, found.size()) && found[i].first < -1e-12; ++i)
        candidates_.emplace_back(id, found[i].second);
    }
  }

  Amounts read(const solver::LpSolution& solution) const {
    Amounts amounts;
    const auto value = [&](ColumnId column) { return std::max(0.0, solution.primal[column.index()]); };
    const std::size_t count = workload_.commodities.size();
    amounts.in_zone.assign(count, ByZone(form_.zone_row.size()));
    amounts.in_class.resize(count);
    bool any_zone = false, any_class = false;
    for (CommodityId id : workload_.commodities.ids()) {
      double unserved = 0;
      for (ColumnId column : form_.unserved_columns[id]) unserved += value(column);
      amounts.unserved.push_back(unserved);
      (workload_.commodities[id].any_class ? any_zone : any_class) = true;
    }
    for (const auto& [id, zone, column] : form_.in_zone) amounts.in_zone[id][zone] += value(column);
    for (const auto& [id, c, column] : form_.in_class) {
      if (value(column) <= 0) continue;
      if (!amounts.in_class[id].empty() && amounts.in_class[id].back().first == c)
        amounts.in_class[id].back().second += value(column);
      else
        amounts.in_class[id].emplace_back(c, value(column));
    }
    for (const auto& [copy, column] : form_.copies)
      if (value(column) > 0.5) amounts.copies.push_back(copy);
    for (ColumnId column : form_.open_column) amounts.open_work.push_back(value(column));
    read_prices(solution.row_dual, amounts);
    amounts.objective = solution.objective;
    amounts.lower_bound = best_bound_;
    amounts.form = !form_.copies.empty()   ? ModelForm::zone_with_copies
                   : any_zone && any_class ? ModelForm::mixed
                   : any_zone              ? ModelForm::zone
                                           : ModelForm::classes;
    amounts.rows = form_.program.rows();
    amounts.columns = form_.program.columns();
    return amounts;
  }

  void read_prices(const std::vector<double>& dual, Amounts& amounts) const {
    const auto of = [&](RowId row) { return dual[row.index()]; };
    for (RowId row : form_.zone_row) amounts.zone_price.push_back(-of(row));
    price_zones_by_class(dual, amounts.zone_price);
    for (const auto& [pool, row] : form_.share_row)
      amounts.shadow_prices.push_back(
          {fmt::format("pool {} share", cluster_.pools[pool].name), of(row), "USD per CPU-second"});
    for (const auto& [pool, row] : form_.maximum_row)
      amounts.shadow_prices.push_back(
          {fmt::format("pool {} maximum", cluster_.pools[pool].name), of(row), "USD per core-second"});
    for (ZoneId from : form_.link_row.ids())
      for (ZoneId to : form_.link_row[from].ids())
        if (const double price = -of(form_.link_row[from][to]); price > 1e-15)
          amounts.shadow_prices.push_back(
              {fmt::format("link {} -> {}", cluster_.zones[from].name, cluster_.zones[to].name), price, "USD per MiB"});
  }

  // Rows of zones have no price where no commodity may take any class; the cheapest class's price then stands for the
  // zone.
  void price_zones_by_class(const std::vector<double>& dual, IdVector<ZoneId, double>& zone_price) const {
    if (std::any_of(workload_.commodities.begin(), workload_.commodities.end(),
                    [](const Commodity& commodity) { return commodity.any_class; }))
      return;
    zone_price.assign(zone_price.size(), 0.0);
    IdVector<ZoneId, bool> seen(zone_price.size(), false);
    for (ClassId c : classes_.classes.ids()) {
      const ZoneId z = classes_.classes[c].zone;
      const NodeClass& group = classes_.classes[c];
      const double price = std::max(group.price.value(), group.price_of_use().value() - dual[form_.cpu_row[c].index()]);
      if (!seen[z] || price < zone_price[z]) zone_price[z] = price;
      seen[z] = true;
    }
  }

  ClassFormInput input_;
  const ClusterSnapshot& cluster_;
  const NodeClasses& classes_;
  const Workload& workload_;
  const ClassFormSettings& settings_;
  ClassFormProgram form_;
  std::vector<std::pair<CommodityId, ClassId>> candidates_;
  std::vector<double> duals_;  // of the last solve, with signs that are right
  double best_bound_ = 0, missing_ = 0;
};

// With no paid room of a class that has to be a class of its own.
Amounts solve(const ClassFormInput& input) {
  const auto& [cluster, costs, classes, workload, given] = input;
  if (std::any_of(workload.commodities.begin(), workload.commodities.end(),
                  [](const Commodity& commodity) { return commodity.shared.valid(); }))
    return ClassForm(input).solve();  // the rows of copies need each reader
  std::optional<Coarsening> coarsening;
  std::optional<Gathering> gathering;
  std::optional<ClassMerging> merging;
  ClassFormSettings settings = given;
  if (workload.commodities.size() > given.most_commodities) {
    coarsening.emplace(workload);
    // The last rounds take longest, and merging loses more.
    settings.good_enough = std::max(settings.good_enough, coarse_gap);
  }
  const Workload& coarse = coarsening ? coarsening->coarse() : workload;
  if (coarse.commodities.size() > given.most_commodities && cluster.zones.size() <= solver::most_transportation_zones &&
      given.link_capacity <= Mebibytes(0)) {
    gathering.emplace(coarse, prices_of_cores(classes, coarse, cluster.zones.size()), given.most_gathered);
    settings.start = start_of_gathered;
  }
  if (classes.classes.size() > given.most_classes) merging.emplace(cluster, classes, workload, given.most_classes);
  if (!coarsening && !merging) return ClassForm(input).solve();

  const NodeClasses& supply = merging ? merging->merged() : classes;
  ClassForm form({cluster, costs, supply, gathering ? gathering->gathered() : coarse, settings});
  Amounts amounts = form.solve();
  if (amounts.fell_back) return greedy_amounts(cluster, classes, workload);
  if (gathering) amounts = gathering->deal(supply, amounts);
  if (coarsening) amounts = coarsening->deal(amounts);
  if (merging) amounts = merging->deal(amounts);
  const double bound =
      merging ? ClassForm(input, ClassColumns::none).bound_at_prices_of(form, *merging) : form.bound_for(workload);
  amounts.lower_bound = std::max(0.0, bound);
  return amounts;
}

}  // namespace

Amounts solve_class_form(const ClassFormInput& input) {
  const PaidParts parts(input.classes, input.workload);
  if (parts.none()) return solve(input);
  return parts.add_up(solve({input.cluster, input.costs, parts.classes(), input.workload, input.settings}));
}

double class_form_bound(const ClassFormInput& input, const std::vector<double>& row_dual) {
  return ClassForm(input).bound_at(row_dual);
}

Amounts greedy_amounts(const ClusterSnapshot& cluster, const NodeClasses& classes, const Workload& workload) {
  Amounts amounts;
  amounts.form = ModelForm::greedy;
  amounts.fell_back = true;
  amounts.in_zone.assign(workload.commodities.size(), ByZone(cluster.zones.size()));
  amounts.in_class.resize(workload.commodities.size());
  amounts.open_work.assign(classes.classes.size(), 0.0);
  amounts.zone_price.assign(cluster.zones.size(), 0.0);
  IdVector<ClassId, double> room;
  for (const auto& steps : classes.steps) {
    double work = 0;
    for (const CapacityStep& step : steps) work += step.work;
    room.push_back(work);
  }
  for (CommodityId id : workload.commodities.ids()) {
    const Commodity& commodity = workload.commodities[id];
    double left = commodity.work;
    std::vector<std::pair<double, ClassId>> order;
    for (ClassId c : classes.classes.ids())
      if (classes.takes(c, commodity.constraint, commodity.request))
        order.emplace_back(classes.classes[c].price.value() + commodity.non_cpu_cost[classes.classes[c].zone], c);
    std::sort(order.begin(), order.end());
    for (const auto& [price, c] : order) {
      const double used = std::min(left, room[c]);
      if (used <= 0) continue;
      room[c] -= used;
      left -= used;
      amounts.objective += used * price;
      if (commodity.any_class) {
        amounts.in_zone[id][classes.classes[c].zone] += used;
        amounts.open_work[c] += used;
      } else {
        amounts.in_class[id].emplace_back(c, used);
      }
      if (left <= 0) break;
    }
    amounts.unserved.push_back(left);
    amounts.objective += left * commodity.unserved_price;
  }
  return amounts;
}

}  // namespace lips
