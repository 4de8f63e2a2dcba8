#include "policies/lips/program/column_prices.h"

#include <algorithm>

#include "policies/lips/prices/price_terms.h"

namespace lips {

double ColumnPrices::least(const Commodity& commodity) {
  double best = solver::infinity;
  if (!commodity.any_class) {
    each_class(commodity, [&](ClassId, double usd) { best = std::min(best, usd); });
    return best;
  }
  for (ZoneId zone : form_.zone_row.ids())
    form_.each_column(commodity, zone, terms_, [&](const ClassFormProgram::Column& column) {
      best = std::min(best, column.reduced_cost(dual_));
    });
  return best;
}

const std::vector<ColumnPrices::InClass>& ColumnPrices::classes_for(const Commodity& commodity) {
  const auto [place, added] = classes_.try_emplace({commodity.constraint, commodity.request});
  std::vector<InClass>& classes = place->second;
  if (!added) return classes;
  for (ClassId c : input_.classes.classes.ids()) {
    if (!form_.eligible(commodity, c)) continue;
    const NodeClass& group = input_.classes.classes[c];
    const double cores = cores_of(commodity.request) * group.speed;
    double time_price = dual(form_.cpu_row[c]);
    if (!form_.memory_row.empty()) time_price += dual(form_.memory_row[c]) * commodity.request.memory.value() / cores;
    if (!form_.slot_row.empty()) time_price += dual(form_.slot_row[c]) * commodity.request.slots / cores;
    classes.push_back({c, group.zone, group.speed, group.price_of_use().value(), time_price});
  }
  return classes;
}

void ColumnPrices::look_at_zones(const Commodity& commodity) {
  commodity_ = &commodity;
  takes_time_ = takes_time(commodity, terms_);
  const auto share = form_.share_row.find(commodity.pool), maximum = form_.maximum_row.find(commodity.pool);
  const double share_price = share != form_.share_row.end() ? dual(share->second) : 0;
  core_price_ = maximum != form_.maximum_row.end() ? dual(maximum->second) : 0;
  zones_.resize(input_.cluster.zones.size());
  for (ZoneId zone : zones_.ids()) {
    zones_[zone].usd = form_.least_beside_the_class(commodity, zone, terms_, dual_) - share_price;
    zones_[zone].read = read_time(input_.cluster, commodity, zone, terms_);
  }
}

double ColumnPrices::usd(const InClass& in) const {
  const InZone& zone = zones_[in.zone];
  const double time = takes_time_ ? std::max(1.0, zone.read * in.speed) : 0;
  const NodeClasses& classes = input_.classes;
  const double lost = terms_ == Terms::expected ? class_charges(classes, classes.classes[in.of_class], *commodity_) : 0;
  return zone.usd + in.price + lost - time * (in.time_price + core_price_ / in.speed);
}

}  // namespace lips
