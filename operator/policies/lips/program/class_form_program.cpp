#include "policies/lips/program/class_form_program.h"

#include <algorithm>

#include "policies/lips/prices/price_terms.h"
#include "policies/lips/program/paid_parts.h"

namespace lips {

namespace {

using solver::Entry;

}  // namespace

SideRows side_rows(const Workload& workload, const NodeClasses& classes) {
  SideRows rows;
  for (const Commodity& commodity : workload.commodities) {
    if (commodity.any_class) continue;
    for (const NodeClass& group : classes.classes) {
      const double share = cores_of(commodity.request) / group.shape.cpu.value();
      rows.memory = rows.memory || commodity.request.memory.value() > share * group.shape.memory.value() + 1e-9;
      rows.slots = rows.slots || commodity.request.slots > share * group.shape.slots + 1e-9;
    }
  }
  return rows;
}

ClassFormProgram::ClassFormProgram(const ClassFormInput& input, ClassColumns columns, Terms terms)
    : input_(input), terms_(terms) {
  if (!input.classes.classes.empty()) speed_ = input.classes.classes[ClassId(0)].speed;
  add_rows();
  add_side_rows();
  add_pool_rows();
  add_steps();
  add_commodities(columns);
  add_copies();
}

bool ClassFormProgram::eligible(const Commodity& commodity, ClassId c) const {
  return input_.classes.takes(c, commodity.constraint, commodity.request);
}

void ClassFormProgram::add_rows() {
  for (const Commodity& commodity : input_.workload.commodities)
    commodity_row.push_back(program.add_row(commodity.work, commodity.work));
  for (std::size_t zone = 0; zone < input_.cluster.zones.size(); ++zone)
    zone_row.push_back(program.add_row(-solver::infinity, 0));
  for (std::size_t c = 0; c < input_.classes.classes.size(); ++c)
    cpu_row.push_back(program.add_row(-solver::infinity, 0));
}

// Memory and slots, and links where they are limited.
void ClassFormProgram::add_side_rows() {
  const auto [memory, slots] = side_rows(input_.workload, input_.classes);
  for (std::size_t c = 0; c < input_.classes.classes.size(); ++c) {
    if (memory) memory_row.push_back(program.add_row(-solver::infinity, 0));
    if (slots) slot_row.push_back(program.add_row(-solver::infinity, 0));
  }
  if (input_.settings.link_capacity <= Mebibytes(0)) return;
  const std::size_t zones = input_.cluster.zones.size();
  link_row.resize(zones);
  for (auto& to : link_row)
    for (std::size_t zone = 0; zone < zones; ++zone)
      to.push_back(program.add_row(-solver::infinity, input_.settings.link_capacity.value()));
}

void ClassFormProgram::add_pool_rows() {
  for (const PoolRow& pool : input_.settings.pools) {
    double demand = 0;
    for (const Commodity& commodity : input_.workload.commodities)
      if (commodity.pool == pool.pool) demand += commodity.work;
    const double least = pool.shortfall_price > 0 ? std::min(pool.least, demand) : 0;
    if (least > 0) {
      const Entry entry{share_row[pool.pool] = program.add_row(least, solver::infinity), 1};
      program.add_column(pool.shortfall_price, 0, least, {&entry, 1});
    }
    if (pool.most < solver::infinity) maximum_row[pool.pool] = program.add_row(-solver::infinity, pool.most);
  }
}

// L[c,b]: the used share of a class's time slot; v[c]: the part of it used by commodities that any class may take.
void ClassFormProgram::add_steps() {
  double least_memory = solver::infinity;
  for (const Commodity& commodity : input_.workload.commodities)
    if (commodity.any_class) least_memory = std::min(least_memory, commodity.least_memory_per_core);
  for (ClassId c : input_.classes.classes.ids()) {
    const NodeClass& group = input_.classes.classes[c];
    double work = 0;
    for (const CapacityStep& step : input_.classes.steps[c]) {
      if (step.work <= 0) continue;
      work += step.work;
      std::vector<Entry> entries{{cpu_row[c], -step.work}};
      if (!memory_row.empty()) entries.push_back({memory_row[c], -step.memory});
      if (!slot_row.empty()) entries.push_back({slot_row[c], -step.slots});
      program.add_column((step.waiting_price + group.price_of_room().value()) * step.work, 0, 1, entries);
    }
    std::vector<Entry> entries{{cpu_row[c], 1}, {zone_row[group.zone], -1}};
    if (!memory_row.empty() && least_memory < solver::infinity)
      entries.push_back({memory_row[c], least_memory / group.speed});
    open_column.push_back(program.add_column(group.price_of_use().value(), 0, work, entries));
  }
}

void ClassFormProgram::add_commodities(ClassColumns columns) {
  const IdVector<CommodityId, Commodity>& commodities = input_.workload.commodities;
  supply_columns = program.columns();
  classes_of.resize(commodities.size());
  unserved_columns.resize(commodities.size());
  for (CommodityId id : commodities.ids()) {
    if (columns == ClassColumns::none) continue;
    const Commodity& commodity = commodities[id];
    const Entry entry{commodity_row[id], 1};
    const auto leave = [&](double price, double work) {
      unserved_columns[id].push_back(program.add_column(price, 0, work, {&entry, 1}));
    };
    if (commodity.unserved_steps.empty()) leave(commodity.unserved_price, commodity.work);
    for (const auto& [price, work] : commodity.unserved_steps) leave(price, work);
    if (commodity.any_class) {
      for (ZoneId zone : input_.cluster.zones.ids())
        each_column(commodity, zone, terms_, [&](Column found) {
          found.add(commodity_row[id], 1);
          in_zone.push_back({id, zone, program.add_column(found.cost, 0, commodity.work, found.entries())});
        });
      continue;
    }
    std::vector<std::pair<double, ClassId>> order;
    for (ClassId c : input_.classes.classes.ids())
      if (eligible(commodity, c)) order.emplace_back(price_in(input_.classes, input_.classes.classes[c], commodity), c);
    std::sort(order.begin(), order.end());
    const auto [count, cheapest] = input_.settings.start;
    const std::size_t stride = std::max<std::size_t>(1, order.size() / (count - cheapest));
    for (std::size_t i = 0; i < order.size(); ++i)
      if (columns == ClassColumns::all || i < cheapest || (i + id.index()) % stride == 0)
        add_class(id, order[i].second);
  }
}

void ClassFormProgram::add_class(CommodityId id, ClassId c) {
  const Commodity& commodity = input_.workload.commodities[id];
  each_column(commodity, c, terms_, [&](Column found) {
    found.add(commodity_row[id], 1);
    in_class.push_back({id, c, program.add_column(found.cost, 0, commodity.work, found.entries())});
  });
  classes_of[id].push_back(c);
}

// Where links are limited, the zones whose copies the commodity may read; else one column for the cheapest.
ZoneSet ClassFormProgram::remote_sources(ZoneSet holders, ZoneId zone) const {
  return link_row.empty() || holders.contains(zone) ? ZoneSet() : holders;
}

ClassFormProgram::Column ClassFormProgram::column_of(const Commodity& commodity, const At& at, ZoneId from) const {
  Column result;
  const ByZone& non_cpu_cost = at.terms == Terms::least ? commodity.least.non_cpu_cost : commodity.non_cpu_cost;
  double core_seconds = 1 / speed_;
  if (at.of_class.valid()) {
    const NodeClass& group = input_.classes.classes[at.of_class];
    const double time = occupancy(input_.cluster, commodity, group, at.terms),
                 cores = cores_of(commodity.request) * group.speed;
    result.cost = group.price_of_use().value() + non_cpu_cost[at.zone];
    if (at.terms == Terms::expected) result.cost += class_charges(input_.classes, group, commodity);
    core_seconds = time / group.speed;
    result.add(cpu_row[at.of_class], time);
    if (!memory_row.empty()) result.add(memory_row[at.of_class], commodity.request.memory.value() * time / cores);
    if (!slot_row.empty()) result.add(slot_row[at.of_class], commodity.request.slots * time / cores);
  } else {
    result.cost = non_cpu_cost[at.zone];
    result.add(zone_row[at.zone], 1);
  }
  if (const auto row = share_row.find(commodity.pool); row != share_row.end()) result.add(row->second, 1);
  if (const auto row = maximum_row.find(commodity.pool); row != maximum_row.end())
    result.add(row->second, core_seconds);
  if (from.valid()) read_from(commodity, from, at.zone, at.terms, result);
  return result;
}

// Over that link, instead of the way that non_cpu_cost counts.
void ClassFormProgram::read_from(const Commodity& commodity, ZoneId from, ZoneId zone, Terms terms,
                                 Column& column) const {
  const double crossing = terms == Terms::least ? commodity.least.input_per_work : commodity.input_per_work;
  const UsdPerMebibyte cheapest = input_.costs.transfer(holders(commodity, terms), zone);
  column.cost += crossing * (input_.costs.transfer(from, zone) - cheapest).value();
  column.add(link_row[from][zone], crossing);
}

double ClassFormProgram::least_beside_the_class(const Commodity& commodity, ZoneId zone, Terms terms,
                                                const std::vector<double>& dual) const {
  const double usd = (terms == Terms::least ? commodity.least.non_cpu_cost : commodity.non_cpu_cost)[zone];
  const ZoneSet sources = remote_sources(holders(commodity, terms), zone);
  double least = sources.empty() ? 0 : solver::infinity;
  for (ZoneId from : input_.cluster.zones.ids()) {
    if (!sources.contains(from)) continue;
    Column read;
    read_from(commodity, from, zone, terms, read);
    least = std::min(least, read.reduced_cost(dual));
  }
  return usd + least;
}

// Copies of shared objects: x[object, zone] in 0..1, and reads of them at no transfer.
void ClassFormProgram::add_copies() {
  const Workload& workload = input_.workload;
  IdVector<SharedObjectId, std::vector<CommodityId>> readers(workload.objects.size());
  for (CommodityId id : workload.commodities.ids())
    if (const SharedObjectId shared = workload.commodities[id].shared; shared.valid()) readers[shared].push_back(id);
  for (SharedObjectId id : readers.ids()) {
    if (readers[id].empty()) continue;
    const SharedObject& object = workload.objects[id];
    for (ZoneId zone : input_.cluster.zones.ids())
      if (!object.zones.contains(zone)) add_copy(object, zone, readers[id]);
  }
}

void ClassFormProgram::add_copy(const SharedObject& object, ZoneId zone, const std::vector<CommodityId>& readers) {
  std::vector<Entry> ties;
  for (CommodityId id : readers)
    ties.push_back({program.add_row(-solver::infinity, 0), -input_.workload.commodities[id].work});
  const solver::RowId room = space(zone);
  for (ZoneId from : input_.cluster.zones.ids()) {
    if (!object.zones.contains(from)) continue;
    std::vector<Entry> entries = ties;
    if (!link_row.empty()) entries.push_back({link_row[from][zone], object.size.value()});
    if (room.valid()) entries.push_back({room, object.size.value()});
    const double price = (object.size * input_.costs.transfer(from, zone)).value();
    copies.push_back({{object.data_set, zone}, program.add_column(price, 0, 1, entries)});
  }
  for (std::size_t i = 0; i < readers.size(); ++i) {
    const Commodity& commodity = input_.workload.commodities[readers[i]];
    std::vector<Entry> entries{{commodity_row[readers[i]], 1}, {zone_row[zone], 1}, {ties[i].row, 1}};
    if (const auto row = share_row.find(commodity.pool); row != share_row.end()) entries.push_back({row->second, 1});
    if (const auto row = maximum_row.find(commodity.pool); row != maximum_row.end())
      entries.push_back({row->second, 1 / speed_});
    const double read = commodity.input_per_work * input_.costs.transfer(commodity.zones, zone).value();
    const double non_cpu_cost = (terms_ == Terms::least ? commodity.least.non_cpu_cost : commodity.non_cpu_cost)[zone];
    in_zone.push_back({readers[i], zone, program.add_column(non_cpu_cost - read, 0, commodity.work, entries)});
  }
}

// Row of the free space of the zone's stores; none where a store has no limit.
solver::RowId ClassFormProgram::space(ZoneId zone) {
  const auto [known, added] = space_row.try_emplace(zone);
  if (!added) return known->second;
  double room = 0;
  for (const DataStore& store : input_.cluster.stores) {
    if (store.zone != zone) continue;
    if (store.capacity.value() == 0) return known->second;
    room += std::max(0.0, (store.capacity - store.used).value());
  }
  return known->second = program.add_row(-solver::infinity, room);
}

solver::LinearProgram class_form_program(const ClassFormInput& input) {
  const PaidParts parts(input.classes, input.workload);
  const NodeClasses& classes = parts.none() ? input.classes : parts.classes();
  const ClassFormInput parted{input.cluster, input.costs, classes, input.workload, input.settings};
  return std::move(ClassFormProgram(parted, ClassColumns::all).program);
}

}  // namespace lips
