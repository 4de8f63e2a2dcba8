#include "policies/papers/lips_paper/paper_model_build.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lips::paper {

using solver::Entry;

namespace {

// Ratios of equal tasks differ in their last bits with the number of tasks.
double without_last_bits(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::round(std::ldexp(mantissa, 42)), exponent - 42);
}

}  // namespace

ModelBuilder::ModelBuilder(const Instance& instance, const Options& options, TransferLimit limit)
    : instance_(instance), options_(options), limit_(limit) {
  make_groups();
  price_overflow();
  choose_copies();
  if (reducing()) merge_groups();
  add_rows();
  add_flows();
  add_copies();
  if (options_.overflow) add_overflow();
  add_pools();
}

bool ModelBuilder::may_run(const PartGroup& group, const Machine& machine) const {
  const std::vector<std::uint8_t>& kinds = instance_.jobs[group.job].kinds;
  return kinds.empty() || kinds[machine.kind] != 0;
}

int cheapest_source(const Instance& instance, int data, int store) {
  const int to = instance.stores[store].place;
  int from = instance.stores[instance.data[data].origins.front()].place;
  for (int origin : instance.data[data].origins)
    if (instance.move_price[instance.stores[origin].place][to] < instance.move_price[from][to])
      from = instance.stores[origin].place;
  return from;
}

bool ModelBuilder::holds(int data, int store) const {
  const std::vector<int>& origins = instance_.data[data].origins;
  return std::binary_search(origins.begin(), origins.end(), store);
}

double ModelBuilder::read_price(int store, int machine) const {
  return instance_.read_price[instance_.stores[store].place][instance_.machines[machine].place];
}

double ModelBuilder::move_price(int data, int store) const {
  if (holds(data, store)) return 0;
  return instance_.move_price[cheapest_source(instance_, data, store)][instance_.stores[store].place];
}

int ModelBuilder::cheapest_origin(int data, int place) const {
  const std::vector<int>& origins = instance_.data[data].origins;
  int best = origins.front();
  for (int origin : origins)
    if (instance_.read_price[instance_.stores[origin].place][place] <
        instance_.read_price[instance_.stores[best].place][place])
      best = origin;
  return best;
}

double ModelBuilder::supply_of(const PartGroup& group) const {
  double cpu = 0, tasks = 0;
  for (int part : group.parts) {
    cpu += instance_.parts[part].cpu.value();
    tasks += instance_.parts[part].tasks;
  }
  return cpu > 0 ? cpu : tasks;
}

void ModelBuilder::make_groups() {
  std::vector<int> group_of_job(instance_.jobs.size(), -1);
  for (int p = 0; p < static_cast<int>(instance_.parts.size()); ++p) {
    const Part& part = instance_.parts[p];
    int index = joint() ? group_of_job[part.job] : -1;
    if (index < 0) {
      index = static_cast<int>(groups_.size());
      groups_.emplace_back();
      groups_.back().job = part.job;
      group_of_job[part.job] = index;
    }
    groups_[index].parts.push_back(p);
    if (part.data >= 0) groups_[index].inputs.push_back({part.data, part.input.value()});
  }
  for (PartGroup& group : groups_) {
    group.supply = supply_of(group);
    double cpu = 0, bytes = 0;
    for (int part : group.parts) cpu += instance_.parts[part].cpu.value();
    for (const Input& input : group.inputs) bytes += input.bytes;
    if (group.supply <= 0) continue;
    group.cpu_per_unit = cpu / group.supply;
    group.bytes_per_unit = bytes / group.supply;
  }
}

// F's price is one price of a CPU-second for all jobs (the paper), times the job's ageing.
void ModelBuilder::price_overflow() {
  double machine = 0, transfer = 0;
  for (const Machine& m : instance_.machines) machine = std::max(machine, m.price.value());
  for (const PlaceMatrix* prices : {&instance_.read_price, &instance_.move_price})
    for (const std::vector<double>& row : *prices)
      for (double price : row) transfer = std::max(transfer, price);
  const auto dearest = [&](const PartGroup& group) {
    double further = 0;
    for (int part : group.parts)
      for (Usd cost : instance_.parts[part].place_cost) further = std::max(further, cost.value());
    return machine * group.cpu_per_unit + transfer * group.bytes_per_unit + further / std::max(group.supply, 1e-300);
  };
  constexpr double where_all_is_free = 1e-9;  // USD
  scale_ = 1 / (machine > 0 ? machine : transfer > 0 ? transfer : where_all_is_free);
  double common = 0;
  for (const PartGroup& group : groups_)
    if (group.cpu_per_unit > 0) common = std::max(common, dearest(group));
  for (PartGroup& group : groups_) {
    const double price = group.cpu_per_unit > 0 ? common : dearest(group);
    // Tasks that cost nothing anywhere would wait on F for ever if that cost nothing too.
    group.overflow_price =
        options_.overflow_factor * instance_.jobs[group.job].ageing * (price > 0 ? price : 1 / scale_);
  }
}

// A copy is worth a column only if reading from it could save its readers more than making all of it costs. Exact while
// originals can be read without limit: whatever a solution reads from such a copy may be read from the best original
// instead.
bool ModelBuilder::copy_pays(int data, int store, const std::vector<int>& readers) const {
  const DataObject& object = instance_.data[data];
  double gain = 0;
  for (int reader : readers) {
    const PartGroup& group = groups_[reader];
    if (group.inputs.size() > 1) return true;  // joint inputs have to meet somewhere
    double best = 0;
    for (int l = 0; l < static_cast<int>(instance_.machines.size()); ++l) {
      const Machine& machine = instance_.machines[l];
      if (!may_run(group, machine)) continue;
      best = std::max(best, read_price(cheapest_origin(data, machine.place), l) - read_price(store, l));
    }
    gain += best * group.inputs.front().bytes;
  }
  const double scale = options_.move_term == MoveTerm::by_size ? object.size.value() : 1;
  return gain > move_price(data, store) * scale * (1 + 1e-12);
}

void ModelBuilder::choose_copies() {
  copy_.assign(instance_.data.size(), std::vector<std::uint8_t>(instance_.stores.size(), 0));
  if (!options_.moves) return;
  std::vector<std::vector<int>> readers(instance_.data.size());
  for (int u = 0; u < static_cast<int>(groups_.size()); ++u)
    for (const Input& input : groups_[u].inputs) readers[input.data].push_back(u);
  for (int i = 0; i < static_cast<int>(instance_.data.size()); ++i)
    for (int j = 0; j < static_cast<int>(instance_.stores.size()); ++j) {
      if (options_.space == StoreSpace::copies && holds(i, j)) continue;
      copy_[i][j] = !reducing() || copy_pays(i, j, readers[i]);
    }
}

// Parts without copy columns whose columns would be equal but for their length become one group.
void ModelBuilder::merge_groups() {
  using Key = std::tuple<std::vector<int>, std::vector<std::uint8_t>, double, double, double>;
  std::map<Key, int> known;
  std::vector<PartGroup> merged;
  for (PartGroup& group : groups_) {
    const Part& part = instance_.parts[group.parts.front()];
    const int data = group.inputs.empty() ? -1 : group.inputs.front().data;
    const bool copied = data >= 0 && std::count(copy_[data].begin(), copy_[data].end(), 1) > 0;
    if (group.parts.size() > 1 || group.inputs.size() > 1 || copied || !part.place_cost.empty() || group.supply <= 0) {
      merged.push_back(std::move(group));
      continue;
    }
    std::vector<int> places;
    if (data >= 0)
      for (int origin : instance_.data[data].origins) places.push_back(instance_.stores[origin].place);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    const Key key{std::move(places), instance_.jobs[group.job].kinds, without_last_bits(group.bytes_per_unit),
                  group.cpu_per_unit > 0 ? 1.0 : 0.0, group.overflow_price};
    if (const auto found = known.find(key); found != known.end()) {
      PartGroup& into = merged[found->second];
      const double total = into.supply + group.supply;
      into.bytes_per_unit = (into.bytes_per_unit * into.supply + group.bytes_per_unit * group.supply) / total;
      into.supply = total;
      into.parts.push_back(group.parts.front());
      continue;
    }
    known.emplace(key, static_cast<int>(merged.size()));
    merged.push_back(std::move(group));
  }
  groups_ = std::move(merged);
}

void ModelBuilder::add_rows() {
  const double none = solver::infinity;
  if (reducing() && options_.pool && options_.cpu == CpuCount::per_task && !joint()) {
    machine_pools_.resize(instance_.read_price.size());
    for (int l = 0; l < static_cast<int>(instance_.machines.size()); ++l)
      if (instance_.machines[l].capacity.value() > 0) machine_pools_[instance_.machines[l].place].machines.push_back(l);
    for (MachinePool& pool : machine_pools_)
      if (pool.machines.size() > 1) pool.row = program_.add_row(-none, 0);
  }
  for (PartGroup& group : groups_) group.row = program_.add_row(group.supply, group.supply);  // (2), (10), (20)
  for (const Machine& machine : instance_.machines)                                           // (4), (12), (23)
    cpu_row_.push_back(program_.add_row(-none, std::max(0.0, machine.capacity.value())));
  for (const Store& store : instance_.stores)  // (11), (22)
    space_row_.push_back(options_.moves && store.limited ? program_.add_row(-none, std::max(0.0, store.space.value()))
                                                         : solver::RowId::none());
  if (options_.moves && options_.space == StoreSpace::everything)  // (9), (19)
    for (std::size_t i = 0; i < instance_.data.size(); ++i) placed_row_.push_back(program_.add_row(1, none));
  if (limit_ == TransferLimit::per_link)
    for (int a = 0; a < static_cast<int>(instance_.link.size()); ++a)
      for (int b = 0; b < static_cast<int>(instance_.link[a].size()); ++b)
        if (instance_.link[a][b] > 0)
          transfer_row_[{a, b}] = program_.add_row(-none, instance_.link[a][b] * to_seconds(instance_.horizon));
}

std::vector<int> ModelBuilder::stores_for(const PartGroup& group, int machine) const {
  if (group.inputs.empty()) return {-1};
  std::vector<int> stores;
  if (reducing() && group.inputs.size() == 1) {
    const int data = group.inputs.front().data;
    const int origin = cheapest_origin(data, instance_.machines[machine].place);
    stores.push_back(origin);
    for (int j = 0; j < static_cast<int>(instance_.stores.size()); ++j)
      if (copy_[data][j] && read_price(j, machine) < read_price(origin, machine)) stores.push_back(j);
    return stores;
  }
  for (int j = 0; j < static_cast<int>(instance_.stores.size()); ++j)
    if (std::all_of(group.inputs.begin(), group.inputs.end(),
                    [&](const Input& input) { return copy_[input.data][j] || holds(input.data, j); }))
      stores.push_back(j);
  return stores;
}

bool ModelBuilder::pools(const PartGroup& group, const MachinePool& pool) const {
  return pool.row.valid() && group.cpu_per_unit > 0 &&
         std::all_of(pool.machines.begin(), pool.machines.end(),
                     [&](int machine) { return may_run(group, instance_.machines[machine]); });
}

void ModelBuilder::add_flows() {
  for (int u = 0; u < static_cast<int>(groups_.size()); ++u) {
    const PartGroup& group = groups_[u];
    if (group.supply <= 0) continue;
    std::vector<std::uint8_t> pooled(instance_.read_price.size(), 0);
    for (std::size_t place = 0; place < machine_pools_.size(); ++place) {
      if (!pools(group, machine_pools_[place])) continue;
      pooled[place] = 1;
      const int any = machine_pools_[place].machines.front();
      for (int store : stores_for(group, any)) add_flow(u, any, store, true);
    }
    for (int l = 0; l < static_cast<int>(instance_.machines.size()); ++l) {
      const Machine& machine = instance_.machines[l];
      if (pooled[machine.place] || !may_run(group, machine)) continue;
      if (options_.reduce && machine.capacity.value() <= 0 && group.cpu_per_unit > 0 &&
          options_.cpu == CpuCount::per_task)
        continue;
      for (int store : stores_for(group, l)) add_flow(u, l, store, false);
    }
  }
}

// The share of each machine for its pool.
void ModelBuilder::add_pools() {
  for (MachinePool& pool : machine_pools_) {
    if (!pool.row.valid()) continue;
    for (int machine : pool.machines) {
      const Machine& m = instance_.machines[machine];
      const Entry entries[] = {{pool.row, -1}, {cpu_row_[machine], 1}};
      const solver::ColumnId column = program_.add_column(m.price.value() * scale_, 0, m.capacity.value(), entries);
      if (!pool.column.valid()) pool.column = column;
    }
  }
}

void ModelBuilder::add_flow(int u, int l, int store, bool pooled) {
  const PartGroup& group = groups_[u];
  const Machine& machine = instance_.machines[l];
  std::vector<Entry> entries{{group.row, 1}};
  const bool counts = options_.cpu == CpuCount::per_task || !group.inputs.empty();
  if (counts && group.cpu_per_unit > 0)
    entries.push_back({pooled ? machine_pools_[machine.place].row : cpu_row_[l], group.cpu_per_unit});
  double cost = pooled ? 0 : machine.price.value() * group.cpu_per_unit;
  for (int part : group.parts)
    if (const std::vector<Usd>& further = instance_.parts[part].place_cost; !further.empty())
      cost += further[machine.place].value() / group.supply;
  if (store >= 0) {
    cost += read_price(store, l) * group.bytes_per_unit;
    add_transfer_entries(group, l, store, entries);
    add_link_entries(u, store, entries);
  }
  program_.add_column(cost * scale_, 0, group.supply, entries);
  cells_.push_back({u, l, store, pooled});
}

void ModelBuilder::add_transfer_entries(const PartGroup& group, int l, int store, std::vector<Entry>& entries) {
  const int from = instance_.stores[store].place, to = instance_.machines[l].place;
  if (limit_ == TransferLimit::per_link) {
    if (const auto row = transfer_row_.find({from, to}); row != transfer_row_.end())
      entries.push_back({row->second, group.bytes_per_unit});
  } else if (limit_ == TransferLimit::per_job_and_machine && !instance_.stream.empty() &&
             instance_.stream[from][to] > 0) {
    auto [row, added] = transfer_row_.try_emplace({group.job, l});
    if (added)
      row->second = program_.add_row(-solver::infinity, to_seconds(instance_.horizon) * instance_.machines[l].count);
    entries.push_back({row->second, group.bytes_per_unit / instance_.stream[from][to]});
  }
}

// (3), (13), (24): what a job reads from a store is not more than the store gets.
void ModelBuilder::add_link_entries(int u, int store, std::vector<Entry>& entries) {
  const PartGroup& group = groups_[u];
  for (const Input& input : group.inputs) {
    if (!copy_[input.data][store]) continue;
    auto [row, added] = link_row_.try_emplace({u, input.data, store});
    if (added) {
      row->second = program_.add_row(-solver::infinity, 0);
      copy_entries_[{input.data, store}].push_back({row->second, -group.supply});
    }
    const double size = instance_.data[input.data].size.value();
    const bool some = options_.access == PartialAccess::any_blocks && size > 0;
    entries.push_back({row->second, some ? std::min(1.0, input.bytes / size) : 1.0});
  }
}

void ModelBuilder::add_copies() {
  for (int i = 0; i < static_cast<int>(instance_.data.size()); ++i)
    for (int j = 0; j < static_cast<int>(instance_.stores.size()); ++j) {
      if (!copy_[i][j]) continue;
      const double size = instance_.data[i].size.value();
      std::vector<Entry> entries = copy_entries_[{i, j}];
      if (entries.empty() && options_.space == StoreSpace::copies) continue;  // nobody would read it
      if (space_row_[j].valid()) entries.push_back({space_row_[j], size});
      if (!placed_row_.empty()) entries.push_back({placed_row_[i], 1});
      if (limit_ == TransferLimit::per_link && !holds(i, j)) {
        const std::pair link(cheapest_source(instance_, i, j), instance_.stores[j].place);
        if (const auto row = transfer_row_.find(link); row != transfer_row_.end())
          entries.push_back({row->second, size});
      }
      const double scale = options_.move_term == MoveTerm::by_size ? size : 1;
      program_.add_column(move_price(i, j) * scale * scale_, 0, 1, entries);
      copies_.emplace_back(i, j);
    }
}

void ModelBuilder::add_overflow() {
  for (int u = 0; u < static_cast<int>(groups_.size()); ++u) {
    const Entry entry{groups_[u].row, 1};
    program_.add_column(groups_[u].overflow_price * scale_, 0, groups_[u].supply, std::span(&entry, 1));
    overflow_.push_back(u);
  }
}

}  // namespace lips::paper
