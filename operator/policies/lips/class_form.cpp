#include "policies/lips/class_form.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "solver/certificate.h"
#include "solver/clp_backend.h"

namespace lips {

namespace {

using solver::Entry;
constexpr std::size_t start_columns = 10;  // classes a unit begins with: its cheapest, and others spread over the price range
constexpr std::size_t cheapest_columns = 4;
constexpr std::size_t more_columns = 6;   // that a round may add to a unit
constexpr int rounds = 25;
constexpr double overflow_steps = 16;  // of a coarse unit

struct ClassColumn {
  std::uint32_t unit, of_class;
  std::int32_t column;
};

class ClassForm {
 public:
  ClassForm(const ClusterSnapshot& cluster, const CostModel& costs, const NodeClasses& classes, const Units& units,
            const ClassFormSettings& settings)
      : cluster_(cluster), costs_(costs), classes_(classes), units_(units), settings_(settings) {}

  Amounts solve() {
    add_rows();
    add_steps();
    add_units();
    add_copies();
    Amounts amounts;
    solver::LpSolution solution;
    for (int round = 0;; ++round) {
      solver::LpOptions options;
      options.algorithm = solver::Algorithm::primal;
      options.max_iterations = settings_.max_iterations;
      options.presolve = round == 0;
      if (round > 0) options.start = &solution.basis;
      solver::LpSolution next = solver::solve(program_, options);
      if (next.status != solver::LpStatus::optimal) return greedy_amounts(cluster_, classes_, units_);
      solution = std::move(next);
      price_missing(solution.row_dual);
      const double bound = lower_bound(units_, solution);
      best_bound_ = round == 0 ? bound : std::max(best_bound_, bound);
      const bool close = solution.objective - best_bound_ <= settings_.good_enough * std::abs(best_bound_);
      if (close || candidates_.empty() || round + 1 == rounds) break;
      const std::size_t before = class_columns_.size();
      for (const auto& [u, c] : candidates_) add_class_column(u, c);
      extend_basis(solution.basis, class_columns_.size() - before);
    }
    duals_ = solution.row_dual;
    return read(solution);
  }

  // A bound on the cost of other units under this program's prices: theirs must be the same rows otherwise.
  double bound_for(const Units& units) { return lagrangian_bound(units, duals_); }

 private:
  std::size_t zones() const { return cluster_.zones.size(); }

  bool eligible(const Unit& unit, std::uint32_t c) {
    const std::size_t key = unit.constraint.valid() ? unit.constraint.index() + 1 : 0;
    if (eligible_.size() <= key) eligible_.resize(key + 1);
    std::vector<signed char>& row = eligible_[key];
    if (row.empty()) row.assign(classes_.classes.size(), -1);
    if (row[c] < 0) row[c] = cluster_.eligible(unit.constraint, classes_.classes[c].nodes.front());
    return row[c] == 1 && fits(unit.request, classes_.classes[c].shape);
  }

  void add_rows() {
    for (const Unit& unit : units_.units) unit_row_.push_back(program_.add_row(unit.work, unit.work));
    for (std::size_t z = 0; z < zones(); ++z) zone_row_.push_back(program_.add_row(-solver::infinity, 0));
    for (std::size_t c = 0; c < classes_.classes.size(); ++c) cpu_row_.push_back(program_.add_row(-solver::infinity, 0));
    const bool memory = std::any_of(units_.units.begin(), units_.units.end(), [&](const Unit& unit) {
      return std::any_of(classes_.classes.begin(), classes_.classes.end(), [&](const NodeClass& group) {
        return unit.request.memory.value() > unit.request.cpu.value() * group.shape.memory.value() / group.shape.cpu.value() + 1e-9;
      });
    });
    if (memory)
      for (std::size_t c = 0; c < classes_.classes.size(); ++c) memory_row_.push_back(program_.add_row(-solver::infinity, 0));
    for (const PoolRow& pool : settings_.pools) {
      double demand = 0;
      for (const Unit& unit : units_.units)
        if (unit.pool == pool.pool) demand += unit.work;
      const double least = pool.shortfall_price > 0 ? std::min(pool.least, demand) : 0;
      const std::int32_t row = program_.add_row(least > 0 ? least : -solver::infinity, pool.most > 0 ? pool.most : solver::infinity);
      pool_row_[pool.pool] = row;
      if (least > 0) {
        const Entry entry{row, 1};
        program_.add_column(pool.shortfall_price, 0, least, {&entry, 1});
      }
    }
    if (cluster_.network.zone_link.value() > 0) {
      const double most = cluster_.network.zone_link.value() * settings_.horizon;
      for (std::size_t link = 0; link < zones() * zones(); ++link) link_row_.push_back(program_.add_row(-solver::infinity, most));
    }
  }

  // L[c,b]: the share of a bucket of a class that is used, and v[c]: what of it units that any class may take use.
  void add_steps() {
    for (std::uint32_t c = 0; c < classes_.classes.size(); ++c) {
      for (const CapacityStep& step : classes_.steps[c]) {
        if (step.work <= 0) continue;
        std::vector<Entry> entries{{cpu_row_[c], -step.work}};
        if (!memory_row_.empty()) entries.push_back({memory_row_[c], -step.memory});
        program_.add_column(step.waiting_price * step.work, 0, 1, entries);
      }
      double work = 0;
      for (const CapacityStep& step : classes_.steps[c]) work += step.work;
      const std::vector<Entry> entries{{cpu_row_[c], 1}, {zone_row_[classes_.classes[c].zone.index()], -1}};
      open_column_.push_back(program_.add_column(classes_.classes[c].price.value(), 0, work, entries));
    }
  }

  void add_units() {
    first_unit_column_ = program_.columns();
    class_column_of_.resize(units_.units.size());
    zone_column_.resize(units_.units.size());
    for (std::uint32_t u = 0; u < units_.units.size(); ++u) {
      const Unit& unit = units_.units[u];
      const Entry entry{unit_row_[u], 1};
      overflow_column_.push_back(program_.columns());
      if (unit.overflow_steps.empty()) program_.add_column(unit.overflow_price, 0, unit.work, {&entry, 1});
      for (const auto& [price, work] : unit.overflow_steps) program_.add_column(price, 0, work, {&entry, 1});
      if (unit.any_class) {
        for (std::uint32_t z = 0; z < zones(); ++z) zone_column_[u].push_back(add_zone_column(unit, u, z, unit.extra[z]));
        continue;
      }
      std::vector<std::pair<double, std::uint32_t>> order;
      for (std::uint32_t c = 0; c < classes_.classes.size(); ++c)
        if (eligible(unit, c)) order.emplace_back(cost(unit, c), c);
      std::sort(order.begin(), order.end());
      const std::size_t stride = std::max<std::size_t>(1, order.size() / (start_columns - cheapest_columns));
      for (std::size_t i = 0; i < order.size(); ++i)
        if (i < cheapest_columns || (i + u) % stride == 0) add_class_column(u, order[i].second);
    }
  }

  std::int32_t add_zone_column(const Unit& unit, std::uint32_t u, std::uint32_t z, double extra) {
    std::vector<Entry> entries{{unit_row_[u], 1}, {zone_row_[z], 1}};
    add_common(unit, ZoneId(z), entries);
    return program_.add_column(extra, 0, unit.work, entries);
  }

  // Rows of the unit's pool and of the link over which it reads.
  void add_common(const Unit& unit, ZoneId zone, std::vector<Entry>& entries) const {
    if (const auto row = pool_row_.find(unit.pool); row != pool_row_.end()) entries.push_back({row->second, 1});
    if (link_row_.empty() || unit.zones.empty() || unit.zones.contains(zone)) return;
    entries.push_back({link_row_[source(unit.zones, zone).index() * zones() + zone.index()], unit.input_per_work});
  }

  ZoneId source(ZoneSet from, ZoneId to) const {
    ZoneId best;
    for (std::uint32_t z = 0; z < zones(); ++z)
      if (from.contains(ZoneId(z)) && (!best.valid() || costs_.transfer(ZoneId(z), to) < costs_.transfer(best, to))) best = ZoneId(z);
    return best;
  }

  double cost(const Unit& unit, std::uint32_t c) const {
    const NodeClass& group = classes_.classes[c];
    return group.price.value() + unit.extra[group.zone.index()];
  }

  // How many CPU-seconds of the class's time a CPU-second of the unit's work takes: more than one when its read is slower.
  double occupancy(const Unit& unit, std::uint32_t c) const {
    const NodeClass& group = classes_.classes[c];
    if (unit.zones.empty()) return 1;
    const double bandwidth =
        cluster_.network.stream(unit.zones.contains(group.zone) ? Locality::zone : Locality::remote).value();
    if (bandwidth <= 0) return 1;
    return std::max(1.0, unit.input_per_work / bandwidth * unit.request.cpu.value() * group.speed);
  }

  double memory_use(const Unit& unit, std::uint32_t c) const {  // MiB-seconds per CPU-second of work
    return unit.request.memory.value() * occupancy(unit, c) / (unit.request.cpu.value() * classes_.classes[c].speed);
  }

  // Without the unit's own row.
  void class_entries(const Unit& unit, std::uint32_t c, std::vector<Entry>& entries) const {
    entries.assign({{cpu_row_[c], occupancy(unit, c)}});
    if (!memory_row_.empty()) entries.push_back({memory_row_[c], memory_use(unit, c)});
    add_common(unit, classes_.classes[c].zone, entries);
  }

  void add_class_column(std::uint32_t u, std::uint32_t c) {
    const Unit& unit = units_.units[u];
    class_entries(unit, c, scratch_);
    scratch_.push_back({unit_row_[u], 1});
    const std::int32_t column = program_.add_column(cost(unit, c), 0, unit.work, scratch_);
    class_columns_.push_back({u, c, column});
    class_column_of_[u].push_back(c);
  }

  // Copies of shared data: x[blocks of one data set with equal zones, zone] in 0..1, and reads of them at no transfer.
  void add_copies() {
    std::map<std::pair<DataSetId, ZoneSet>, std::vector<std::uint32_t>> readers;
    for (std::uint32_t u = 0; u < units_.units.size(); ++u)
      if (units_.units[u].shared.valid() && units_.units[u].any_class)
        readers[{units_.units[u].shared, units_.units[u].zones}].push_back(u);
    for (const auto& [key, list] : readers) {
      const DataSet& data_set = cluster_.data_sets[key.first];
      Mebibytes size;
      for (std::uint32_t b = 0; b < data_set.blocks; ++b) {
        const Block& block = cluster_.blocks[BlockId(data_set.first_block.index() + b)];
        if (block.zones == key.second) size += block.size;
      }
      for (std::uint32_t z = 0; z < zones(); ++z)
        if (!key.second.contains(ZoneId(z))) add_copy(key.first, key.second, ZoneId(z), size, list);
    }
  }

  void add_copy(DataSetId data_set, ZoneSet from, ZoneId zone, Mebibytes size, const std::vector<std::uint32_t>& readers) {
    std::vector<Entry> entries;
    std::vector<std::int32_t> rows;
    for (std::uint32_t u : readers) {
      rows.push_back(program_.add_row(-solver::infinity, 0));
      entries.push_back({rows.back(), -units_.units[u].work});
    }
    if (!link_row_.empty()) entries.push_back({link_row_[source(from, zone).index() * zones() + zone.index()], size.value()});
    if (const std::int32_t row = space_row(zone); row >= 0) entries.push_back({row, size.value()});
    const double price = (size * costs_.transfer(from, zone)).value();
    copy_column_.push_back({{data_set, zone}, program_.add_column(price, 0, 1, entries)});
    for (std::size_t i = 0; i < readers.size(); ++i) {
      const Unit& unit = units_.units[readers[i]];
      const double transfer = unit.input_per_work * costs_.transfer(from, zone).value();
      std::vector<Entry> read{{unit_row_[readers[i]], 1}, {zone_row_[zone.index()], 1}, {rows[i], 1}};
      if (const auto row = pool_row_.find(unit.pool); row != pool_row_.end()) read.push_back({row->second, 1});
      const double extra = unit.extra[zone.index()] - transfer;
      copy_read_.push_back({readers[i], zone.index(), program_.add_column(extra, 0, unit.work, read)});
    }
  }

  // Free space of the zone's stores; -1 where a store has no limit.
  std::int32_t space_row(ZoneId zone) {
    if (space_row_.empty()) space_row_.assign(zones(), -2);
    std::int32_t& row = space_row_[zone.index()];
    if (row != -2) return row;
    double room = 0;
    for (const DataStore& store : cluster_.stores) {
      if (store.zone != zone) continue;
      if (store.capacity.value() == 0) return row = -1;
      room += std::max(0.0, (store.capacity - store.used).value());
    }
    return row = program_.add_row(-solver::infinity, room);
  }

  // With copies as columns the rows that tie them to their readers are priced by the general certificate.
  double lower_bound(const Units& units, const solver::LpSolution& solution) {
    if (copy_column_.empty()) return lagrangian_bound(units, solution.row_dual);
    return solver::certify(program_, solution.primal, solution.row_dual).lower_bound + missing_;
  }

  // Weak duality with the units' rows relaxed last: each unit takes its cheapest way at the given prices, every other column
  // its better bound. Valid for every dual vector.
  double lagrangian_bound(const Units& units, std::vector<double> dual) {
    double bound = 0;
    for (std::size_t row = 0; row < dual.size(); ++row) {
      if (static_cast<std::int32_t>(row) < static_cast<std::int32_t>(unit_row_.size())) {
        dual[row] = 0;
        continue;
      }
      if (dual[row] > 0 && program_.row_lower()[row] == -solver::infinity) dual[row] = 0;
      if (dual[row] < 0 && program_.row_upper()[row] == solver::infinity) dual[row] = 0;
      if (dual[row] != 0) bound += dual[row] * (dual[row] > 0 ? program_.row_lower()[row] : program_.row_upper()[row]);
    }
    for (std::int32_t column = 0; column < first_unit_column_; ++column) {
      double reduced = program_.cost()[static_cast<std::size_t>(column)];
      for (std::int64_t e = program_.column_start()[static_cast<std::size_t>(column)];
           e < program_.column_start()[static_cast<std::size_t>(column) + 1]; ++e)
        reduced -= dual[static_cast<std::size_t>(program_.row_index()[static_cast<std::size_t>(e)])] *
                   program_.value()[static_cast<std::size_t>(e)];
      const double upper = program_.column_upper()[static_cast<std::size_t>(column)];
      bound += std::min(0.0, reduced) * upper;
    }
    for (const Unit& unit : units.units) bound += unit.work * cheapest_way(unit, dual);
    return bound;
  }

  double cheapest_way(const Unit& unit, const std::vector<double>& dual) {
    double best = unit.overflow_price;
    const auto reduced = [&](double price) {
      for (const Entry& entry : scratch_) price -= dual[static_cast<std::size_t>(entry.row)] * entry.value;
      return price;
    };
    if (unit.any_class) {
      for (std::uint32_t z = 0; z < zones(); ++z) {
        scratch_.assign({{zone_row_[z], 1}});
        add_common(unit, ZoneId(z), scratch_);
        best = std::min(best, reduced(unit.extra[z]));
      }
      return best;
    }
    for (std::uint32_t c = 0; c < classes_.classes.size(); ++c) {
      if (!eligible(unit, c)) continue;
      class_entries(unit, c, scratch_);
      best = std::min(best, reduced(cost(unit, c)));
    }
    return best;
  }

  // The columns that are not in the program, against the duals: candidates_ are those that would help, missing_ is what they
  // could lower the bound by at most (all of a unit's work in its best one).
  void price_missing(const std::vector<double>& dual) {
    candidates_.clear();
    missing_ = 0;
    std::vector<bool> present(classes_.classes.size());
    std::vector<std::pair<double, std::uint32_t>> found;
    for (std::uint32_t u = 0; u < units_.units.size(); ++u) {
      const Unit& unit = units_.units[u];
      if (unit.any_class) continue;
      present.assign(present.size(), false);
      for (std::uint32_t c : class_column_of_[u]) present[c] = true;
      found.clear();
      for (std::uint32_t c = 0; c < classes_.classes.size(); ++c) {
        if (present[c] || !eligible(unit, c)) continue;
        double reduced = cost(unit, c) - dual[static_cast<std::size_t>(unit_row_[u])];
        class_entries(unit, c, scratch_);
        for (const Entry& entry : scratch_) reduced -= dual[static_cast<std::size_t>(entry.row)] * entry.value;
        if (reduced < -1e-12) found.emplace_back(reduced, c);
      }
      if (found.empty()) continue;
      std::sort(found.begin(), found.end());
      missing_ += unit.work * found.front().first;
      for (std::size_t i = 0; i < std::min(more_columns, found.size()); ++i) candidates_.emplace_back(u, found[i].second);
    }
  }

  static void extend_basis(solver::Basis& basis, std::size_t added) {
    basis.column.insert(basis.column.end(), added, 3);  // at lower bound
  }

  Amounts read(const solver::LpSolution& solution) const {
    Amounts amounts;
    const auto value = [&](std::int32_t column) { return std::max(0.0, solution.primal[static_cast<std::size_t>(column)]); };
    const std::size_t count = units_.units.size();
    amounts.in_zone.assign(count, std::vector<double>(zones(), 0.0));
    amounts.in_class.resize(count);
    bool any_zone = false, any_class = false;
    for (std::uint32_t u = 0; u < count; ++u) {
      amounts.overflow.push_back(value(overflow_column_[u]));
      for (std::size_t step = 1; step < units_.units[u].overflow_steps.size(); ++step)
        amounts.overflow.back() += value(overflow_column_[u] + static_cast<std::int32_t>(step));
      (units_.units[u].any_class ? any_zone : any_class) = true;
      for (std::uint32_t z = 0; z < zone_column_[u].size(); ++z) amounts.in_zone[u][z] += value(zone_column_[u][z]);
    }
    for (const ClassColumn& column : class_columns_)
      if (value(column.column) > 0) amounts.in_class[column.unit].emplace_back(column.of_class, value(column.column));
    for (const ClassColumn& column : copy_read_) amounts.in_zone[column.unit][column.of_class] += value(column.column);
    for (const auto& [copy, column] : copy_column_)
      if (value(column) > 0.5) amounts.copies.push_back(copy);
    for (std::int32_t column : open_column_) amounts.open_work.push_back(value(column));
    for (std::int32_t row : zone_row_) amounts.zone_price.push_back(-solution.row_dual[static_cast<std::size_t>(row)]);
    for (const auto& [pool, row] : pool_row_)
      amounts.shadow_prices.push_back({fmt::format("pool {}", cluster_.pools[pool].name),
                                       solution.row_dual[static_cast<std::size_t>(row)], "USD per CPU-second"});
    for (std::size_t link = 0; link < link_row_.size(); ++link)
      if (const double price = -solution.row_dual[static_cast<std::size_t>(link_row_[link])]; price > 1e-15)
        amounts.shadow_prices.push_back({fmt::format("link {} -> {}", cluster_.zones[ZoneId(static_cast<std::uint32_t>(link / zones()))].name,
                                                     cluster_.zones[ZoneId(static_cast<std::uint32_t>(link % zones()))].name),
                                         price, "USD per MiB"});
    amounts.objective = solution.objective;
    amounts.lower_bound = best_bound_;
    amounts.form = !copy_column_.empty() ? ModelForm::zone_with_copies
                   : any_zone && any_class ? ModelForm::mixed
                   : any_zone              ? ModelForm::zone
                                           : ModelForm::classes;
    amounts.rows = program_.rows();
    amounts.columns = program_.columns();
    return amounts;
  }

  const ClusterSnapshot& cluster_;
  const CostModel& costs_;
  const NodeClasses& classes_;
  const Units& units_;
  const ClassFormSettings& settings_;
  solver::LinearProgram program_;
  std::vector<std::int32_t> unit_row_, zone_row_, cpu_row_, memory_row_, link_row_, space_row_, open_column_, overflow_column_;
  std::map<PoolId, std::int32_t> pool_row_;
  std::vector<std::vector<std::int32_t>> zone_column_;             // [unit][zone]
  std::vector<ClassColumn> class_columns_, copy_read_;             // copy_read_: of_class is a zone
  std::vector<std::vector<std::uint32_t>> class_column_of_;        // [unit] classes with a column
  std::vector<std::pair<std::pair<DataSetId, ZoneId>, std::int32_t>> copy_column_;
  std::vector<std::vector<signed char>> eligible_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> candidates_;
  std::vector<Entry> scratch_;
  std::vector<double> duals_;
  std::int32_t first_unit_column_ = 0;
  double best_bound_ = 0, missing_ = 0;
};

// Merges units of equal eligibility, memory per core, pool and zones whose prices of reading elsewhere are alike.
class Coarsening {
 public:
  Coarsening(const ClusterSnapshot& cluster, const Units& units) : units_(units) {
    std::map<Key, std::uint32_t> by_key;
    for (std::uint32_t u = 0; u < units.units.size(); ++u) {
      const Unit& unit = units.units[u];
      const auto [found, added] = by_key.try_emplace(key(unit), static_cast<std::uint32_t>(coarse_.units.size()));
      if (added) {
        coarse_.units.push_back(unit);
        coarse_.units.back().portions.clear();
        members_.push_back({u});
        continue;
      }
      merge(coarse_.units[found->second], unit);
      members_[found->second].push_back(u);
    }
    zones_ = cluster.zones.size();
    for (std::size_t g = 0; g < coarse_.units.size(); ++g) price_overflow(g);
  }

  const Units& units() const { return coarse_; }

  // Deals each coarse amount to its members one after the other.
  Amounts deal(const Amounts& coarse) const {
    Amounts fine = coarse;
    const std::size_t count = units_.units.size();
    fine.in_zone.assign(count, std::vector<double>(zones_, 0.0));
    fine.in_class.assign(count, {});
    fine.overflow.assign(count, 0.0);
    for (std::size_t g = 0; g < coarse_.units.size(); ++g) {
      std::vector<std::pair<std::uint32_t, double>> places;
      if (coarse_.units[g].any_class)
        for (std::uint32_t z = 0; z < zones_; ++z) places.emplace_back(z, coarse.in_zone[g][z]);
      else
        places = coarse.in_class[g];
      auto place = places.begin();
      for (std::uint32_t u : members_[g]) {
        double left = units_.units[u].work;
        for (; left > 0 && place != places.end(); ++place) {
          const double given = std::min(left, place->second);
          if (given > 0 && coarse_.units[g].any_class) fine.in_zone[u][place->first] += given;
          if (given > 0 && !coarse_.units[g].any_class) fine.in_class[u].emplace_back(place->first, given);
          left -= given;
          place->second -= given;
          if (place->second > 0) break;
        }
        fine.overflow[u] = left;
      }
    }
    return fine;
  }

 private:
  using Key = std::tuple<bool, ConstraintId, Resources, PoolId, ZoneSet, int, DataSetId>;
  // Prices of reading differ by less than a factor of two inside one key.
  static Key key(const Unit& unit) {
    double dearest = 0;
    for (double usd : unit.extra) dearest = std::max(dearest, usd);
    const int magnitude = dearest > 0 ? static_cast<int>(std::floor(std::log2(dearest))) : -1000;
    return {unit.any_class, unit.constraint, unit.any_class ? Resources{} : unit.request, unit.pool, unit.zones, magnitude, unit.shared};
  }

  // Members that are dear to leave out come first, both in the steps and when amounts are dealt.
  void price_overflow(std::size_t g) {
    std::vector<std::uint32_t>& members = members_[g];
    if (members.size() < 2) return;
    std::stable_sort(members.begin(), members.end(), [&](std::uint32_t a, std::uint32_t b) {
      return units_.units[a].overflow_price > units_.units[b].overflow_price;
    });
    Unit& unit = coarse_.units[g];
    double price = 0, work = 0;
    for (std::uint32_t u : members) {
      price += units_.units[u].overflow_price * units_.units[u].work;
      work += units_.units[u].work;
      if (work < unit.work / overflow_steps && u != members.back()) continue;
      unit.overflow_steps.emplace_back(price / work, work);
      price = work = 0;
    }
  }

  static void merge(Unit& into, const Unit& unit) {
    const double share = unit.work / (into.work + unit.work);
    for (std::size_t z = 0; z < into.extra.size(); ++z) into.extra[z] += share * (unit.extra[z] - into.extra[z]);
    into.overflow_price += share * (unit.overflow_price - into.overflow_price);
    into.input_per_work += share * (unit.input_per_work - into.input_per_work);
    into.work += unit.work;
  }

  const Units& units_;
  Units coarse_;
  std::vector<std::vector<std::uint32_t>> members_;
  std::size_t zones_ = 0;
};

}  // namespace

Amounts solve_class_form(const ClusterSnapshot& cluster, const CostModel& costs, const NodeClasses& classes, const Units& units,
                         const ClassFormSettings& settings) {
  const bool columns_for_copies =
      std::any_of(units.units.begin(), units.units.end(), [](const Unit& unit) { return unit.shared.valid(); });
  if (units.units.size() <= most_units || columns_for_copies) return ClassForm(cluster, costs, classes, units, settings).solve();
  const Coarsening coarsening(cluster, units);
  ClassForm form(cluster, costs, classes, coarsening.units(), settings);
  const Amounts coarse = form.solve();
  if (coarse.fell_back) return greedy_amounts(cluster, classes, units);
  Amounts amounts = coarsening.deal(coarse);
  amounts.lower_bound = form.bound_for(units);
  return amounts;
}

Amounts greedy_amounts(const ClusterSnapshot& cluster, const NodeClasses& classes, const Units& units) {
  Amounts amounts;
  amounts.form = ModelForm::greedy;
  amounts.fell_back = true;
  amounts.in_zone.assign(units.units.size(), std::vector<double>(cluster.zones.size(), 0.0));
  amounts.in_class.resize(units.units.size());
  amounts.open_work.assign(classes.classes.size(), 0.0);
  amounts.zone_price.assign(cluster.zones.size(), 0.0);
  std::vector<double> room;
  for (const auto& steps : classes.steps) {
    room.push_back(0);
    for (const CapacityStep& step : steps) room.back() += step.work;
  }
  for (std::size_t u = 0; u < units.units.size(); ++u) {
    const Unit& unit = units.units[u];
    double left = unit.work;
    std::vector<std::pair<double, std::uint32_t>> order;
    for (std::uint32_t c = 0; c < classes.classes.size(); ++c)
      if (fits(unit.request, classes.classes[c].shape) && cluster.eligible(unit.constraint, classes.classes[c].nodes.front()))
        order.emplace_back(classes.classes[c].price.value() + unit.extra[classes.classes[c].zone.index()], c);
    std::sort(order.begin(), order.end());
    for (const auto& [price, c] : order) {
      const double used = std::min(left, room[c]);
      if (used <= 0) continue;
      room[c] -= used;
      left -= used;
      amounts.objective += used * price;
      if (unit.any_class) {
        amounts.in_zone[u][classes.classes[c].zone.index()] += used;
        amounts.open_work[c] += used;
      } else {
        amounts.in_class[u].emplace_back(c, used);
      }
      if (left <= 0) break;
    }
    amounts.overflow.push_back(left);
    amounts.objective += left * unit.overflow_price;
  }
  return amounts;
}

}  // namespace lips
