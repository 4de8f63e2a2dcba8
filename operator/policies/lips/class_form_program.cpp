#include "policies/lips/class_form_program.h"

#include <algorithm>

namespace lips {

namespace {

using solver::Entry;
constexpr std::size_t start_columns =
    10;  // classes a commodity begins with: its cheapest, and others spread over the price range
constexpr std::size_t cheapest_columns = 4;

double price_in(const NodeClass& group, const Commodity& commodity) {
  return group.price.value() + commodity.non_cpu_cost[group.zone.index()];
}

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
  if (!input.classes.classes.empty()) speed_ = input.classes.classes.front().speed;
  add_rows();
  add_side_rows();
  add_pool_rows();
  add_steps();
  add_commodities(columns);
  add_copies();
}

bool ClassFormProgram::eligible(const Commodity& commodity, std::uint32_t c) const {
  std::vector<bool>& known = eligible_[commodity.constraint];
  if (known.empty())
    for (const NodeClass& group : input_.classes.classes)
      known.push_back(input_.cluster.eligible(commodity.constraint, group.nodes.front()));
  return known[c] && fits(commodity.request, input_.classes.classes[c].shape);
}

void ClassFormProgram::add_rows() {
  for (const Commodity& commodity : input_.workload.commodities)
    commodity_row.push_back(program.add_row(commodity.work, commodity.work));
  for (std::size_t z = 0; z < zones(); ++z) zone_row.push_back(program.add_row(-solver::infinity, 0));
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
  if (input_.settings.link_capacity <= 0) return;
  for (std::size_t link = 0; link < zones() * zones(); ++link)
    link_row.push_back(program.add_row(-solver::infinity, input_.settings.link_capacity));
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

// L[c,b]: the share of a time slot of a class that is used, and v[c]: what of it commodities that any class may take
// use.
void ClassFormProgram::add_steps() {
  double least_memory = solver::infinity;
  for (const Commodity& commodity : input_.workload.commodities)
    if (commodity.any_class) least_memory = std::min(least_memory, commodity.least_memory_per_core);
  for (std::uint32_t c = 0; c < input_.classes.classes.size(); ++c) {
    const NodeClass& group = input_.classes.classes[c];
    double work = 0;
    for (const CapacityStep& step : input_.classes.steps[c]) {
      if (step.work <= 0) continue;
      work += step.work;
      std::vector<Entry> entries{{cpu_row[c], -step.work}};
      if (!memory_row.empty()) entries.push_back({memory_row[c], -step.memory});
      if (!slot_row.empty()) entries.push_back({slot_row[c], -step.slots});
      program.add_column(step.waiting_price * step.work, 0, 1, entries);
    }
    std::vector<Entry> entries{{cpu_row[c], 1}, {zone_row[group.zone.index()], -1}};
    if (!memory_row.empty() && least_memory < solver::infinity)
      entries.push_back({memory_row[c], least_memory / group.speed});
    open_column.push_back(program.add_column(group.price.value(), 0, work, entries));
  }
}

void ClassFormProgram::add_commodities(ClassColumns columns) {
  const std::vector<Commodity>& commodities = input_.workload.commodities;
  first_commodity_column = program.columns();
  classes_of.resize(commodities.size());
  for (std::uint32_t u = 0; u < commodities.size(); ++u) {
    const Commodity& commodity = commodities[u];
    const Entry entry{commodity_row[u], 1};
    unserved_column.push_back(program.columns());
    if (commodity.unserved_steps.empty()) program.add_column(commodity.unserved_price, 0, commodity.work, {&entry, 1});
    for (const auto& [price, work] : commodity.unserved_steps) program.add_column(price, 0, work, {&entry, 1});
    if (commodity.any_class) {
      for (std::uint32_t z = 0; z < zones(); ++z)
        each_column(commodity, z, terms_, [&](Column found) {
          found.add(commodity_row[u], 1);
          in_zone.push_back({u, z, program.add_column(found.cost, 0, commodity.work, found.entries())});
        });
      continue;
    }
    std::vector<std::pair<double, std::uint32_t>> order;
    for (std::uint32_t c = 0; c < input_.classes.classes.size(); ++c)
      if (eligible(commodity, c)) order.emplace_back(price_in(input_.classes.classes[c], commodity), c);
    std::sort(order.begin(), order.end());
    const std::size_t stride = std::max<std::size_t>(1, order.size() / (start_columns - cheapest_columns));
    for (std::size_t i = 0; i < order.size(); ++i)
      if (columns == ClassColumns::all || i < cheapest_columns || (i + u) % stride == 0) add_class(u, order[i].second);
  }
}

void ClassFormProgram::add_class(std::uint32_t u, std::uint32_t c) {
  const Commodity& commodity = input_.workload.commodities[u];
  each_column(commodity, c, terms_, [&](Column found) {
    found.add(commodity_row[u], 1);
    in_class.push_back({u, c, program.add_column(found.cost, 0, commodity.work, found.entries())});
  });
  classes_of[u].push_back(c);
}

// Where links are limited, the zones whose copies the commodity may read from there; else one column stands for the
// cheapest.
ZoneSet ClassFormProgram::remote_sources(ZoneSet holders, ZoneId zone) const {
  return link_row.empty() || holders.contains(zone) ? ZoneSet() : holders;
}

ClassFormProgram::Column ClassFormProgram::column_of(const Commodity& commodity, At at, ZoneId from) const {
  Column result;
  const bool least = at.terms == Terms::least;
  const std::uint32_t place = at.place;
  const std::vector<double>& non_cpu_cost = least ? commodity.least.non_cpu_cost : commodity.non_cpu_cost;
  const NodeClass* group = commodity.any_class ? nullptr : &input_.classes.classes[place];
  const ZoneId zone = group ? group->zone : ZoneId(place);
  double core_seconds = 1 / speed_;
  if (group) {
    const double time = occupancy(input_.cluster, commodity, *group, at.terms),
                 cores = cores_of(commodity.request) * group->speed;
    result.cost = group->price.value() + non_cpu_cost[zone.index()];
    core_seconds = time / group->speed;
    result.add(cpu_row[place], time);
    if (!memory_row.empty()) result.add(memory_row[place], commodity.request.memory.value() * time / cores);
    if (!slot_row.empty()) result.add(slot_row[place], commodity.request.slots * time / cores);
  } else {
    result.cost = non_cpu_cost[place];
    result.add(zone_row[place], 1);
  }
  if (const auto row = share_row.find(commodity.pool); row != share_row.end()) result.add(row->second, 1);
  if (const auto row = maximum_row.find(commodity.pool); row != maximum_row.end())
    result.add(row->second, core_seconds);
  if (from.valid()) {
    const ZoneSet holders = least ? commodity.least.zones : commodity.zones;
    const double crossing = least ? commodity.least.input_per_work : commodity.input_per_work;
    const double more = (input_.costs.transfer(from, zone) - input_.costs.transfer(holders, zone)).value();
    result.cost += crossing * more;
    result.add(link_row[from.index() * zones() + zone.index()], crossing);
  }
  return result;
}

// Copies of shared objects: x[object, zone] in 0..1, and reads of them at no transfer.
void ClassFormProgram::add_copies() {
  std::vector<std::vector<std::uint32_t>> readers(input_.workload.objects.size());
  for (std::uint32_t u = 0; u < input_.workload.commodities.size(); ++u)
    if (const Commodity& commodity = input_.workload.commodities[u]; commodity.shared != Commodity::no_object)
      readers[commodity.shared].push_back(u);
  for (std::size_t o = 0; o < readers.size(); ++o) {
    const SharedObject& object = input_.workload.objects[o];
    for (std::uint32_t z = 0; z < zones() && !readers[o].empty(); ++z)
      if (!object.zones.contains(ZoneId(z))) add_copy(object, ZoneId(z), readers[o]);
  }
}

void ClassFormProgram::add_copy(const SharedObject& object, ZoneId zone, const std::vector<std::uint32_t>& readers) {
  std::vector<Entry> ties;
  for (std::uint32_t u : readers)
    ties.push_back({program.add_row(-solver::infinity, 0), -input_.workload.commodities[u].work});
  const std::int32_t room = space(zone);
  for (std::uint32_t from = 0; from < zones(); ++from) {
    if (!object.zones.contains(ZoneId(from))) continue;
    std::vector<Entry> entries = ties;
    if (!link_row.empty()) entries.push_back({link_row[from * zones() + zone.index()], object.size.value()});
    if (room >= 0) entries.push_back({room, object.size.value()});
    const double price = (object.size * input_.costs.transfer(ZoneId(from), zone)).value();
    copies.push_back({{object.data_set, zone}, program.add_column(price, 0, 1, entries)});
  }
  for (std::size_t i = 0; i < readers.size(); ++i) {
    const Commodity& commodity = input_.workload.commodities[readers[i]];
    std::vector<Entry> entries{{commodity_row[readers[i]], 1}, {zone_row[zone.index()], 1}, {ties[i].row, 1}};
    if (const auto row = share_row.find(commodity.pool); row != share_row.end()) entries.push_back({row->second, 1});
    if (const auto row = maximum_row.find(commodity.pool); row != maximum_row.end())
      entries.push_back({row->second, 1 / speed_});
    const double read = commodity.input_per_work * input_.costs.transfer(commodity.zones, zone).value();
    const double non_cpu_cost =
        (terms_ == Terms::least ? commodity.least.non_cpu_cost : commodity.non_cpu_cost)[zone.index()];
    in_zone.push_back({readers[i], zone.index(), program.add_column(non_cpu_cost - read, 0, commodity.work, entries)});
  }
}

// Row of the free space of the zone's stores; -1 where a store has no limit.
std::int32_t ClassFormProgram::space(ZoneId zone) {
  constexpr std::int32_t not_asked = -2;
  if (space_row.empty()) space_row.assign(zones(), not_asked);
  std::int32_t& row = space_row[zone.index()];
  if (row != not_asked) return row;
  double room = 0;
  for (const DataStore& store : input_.cluster.stores) {
    if (store.zone != zone) continue;
    if (store.capacity.value() == 0) return row = -1;
    room += std::max(0.0, (store.capacity - store.used).value());
  }
  return row = program.add_row(-solver::infinity, room);
}

solver::LinearProgram class_form_program(const ClassFormInput& input) {
  return std::move(ClassFormProgram(input, ClassColumns::all).program);
}

}  // namespace lips
