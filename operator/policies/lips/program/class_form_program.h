// The class form's linear program: its rows and columns with their meaning. Solves nothing.
#pragma once

#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "solver/linear_program.h"

namespace lips {

struct PoolRow {
  PoolId pool;
  double least = 0;                // CPU-seconds of work in the horizon
  double most = solver::infinity;  // core-seconds in the horizon
  double shortfall_price = 0;      // USD per CPU-second below `least`; 0: `least` is not counted
};

// Initial classes of a commodity: its cheapest, and others spread over the price range. Many commodities compete for
// the same cheap classes, so a second cheap column helps less than it costs; docs/solver.md has the measurement.
struct StartColumns {
  std::size_t count = 14, cheapest = 1;
};

struct ClassFormSettings {
  Mebibytes link_capacity;  // from one zone to one other in the horizon; 0: not limited
  std::vector<PoolRow> pools;
  double good_enough = 1e-4;  // certified gap at which column generation stops
  std::int64_t max_iterations = 2'000'000;
  std::size_t most_commodities = 1500, most_classes = 400;  // solved without merging
  std::size_t most_gathered = 1000;                         // about; where more than most_commodities are left
  StartColumns start;
};

// Rows besides CPU's that are needed: some commodity asks for more of the resource per core than some class has.
struct SideRows {
  bool memory = false, slots = false;
};
SideRows side_rows(const Workload& workload, const NodeClasses& classes);

struct ClassFormInput {
  const ClusterSnapshot& cluster;
  const CostModel& costs;
  const NodeClasses& classes;
  const Workload& workload;
  const ClassFormSettings& settings;
};

enum class ClassColumns : std::uint8_t { none, start, all };  // of commodities

class ClassFormProgram {
 public:
  template <class Place>
  struct CommodityColumn {
    CommodityId commodity;
    Place place;
    solver::ColumnId column;
  };
  struct Column {  // of a commodity: its cost and entries, without the entry in the commodity's own row
    double cost = 0;
    std::array<solver::Entry, 7> entry;
    std::size_t count = 0;
    void add(solver::RowId row, double value) {
      LIPS_CHECK(count < entry.size(), "a column of the class form has more entries than kinds of rows");
      entry[count++] = {row, value};
    }
    std::span<const solver::Entry> entries() const { return {entry.data(), count}; }
    double reduced_cost(const std::vector<double>& dual) const {
      double usd = cost;
      for (const solver::Entry& each : entries()) usd -= dual[each.row.index()] * each.value;
      return usd;
    }
  };

  ClassFormProgram(const ClassFormInput& input, ClassColumns columns, Terms terms = Terms::expected);

  bool eligible(const Commodity& commodity, ClassId c) const;
  // visit(column), without the commodity's own row, for each column by which the commodity may use the zone (any class
  // of it) or the class: one for each zone that it may read from.
  template <class Visit>
  void each_column(const Commodity& commodity, ZoneId zone, Terms terms, Visit visit) const {
    each_column(commodity, {zone, ClassId::none(), terms}, visit);
  }
  template <class Visit>
  void each_column(const Commodity& commodity, ClassId c, Terms terms, Visit visit) const {
    each_column(commodity, {input_.classes.classes[c].zone, c, terms}, visit);
  }
  // The least that a column of the commodity costs in the zone at these duals, beside what depends on the class and its
  // pool: USD per CPU-second.
  double least_beside_the_class(const Commodity& commodity, ZoneId zone, Terms terms,
                                const std::vector<double>& dual) const;
  void add_class(CommodityId id, ClassId c);

  solver::LinearProgram program;
  IdVector<CommodityId, solver::RowId> commodity_row;
  IdVector<ZoneId, solver::RowId> zone_row;
  IdVector<ClassId, solver::RowId> cpu_row, memory_row, slot_row;  // the latter two: empty where nothing needs them
  IdVector<ZoneId, IdVector<ZoneId, solver::RowId>> link_row;      // [from][to]; empty: links have no limit
  std::map<ZoneId, solver::RowId> space_row;                       // of zones that copies may go to; none: no limit
  std::map<PoolId, solver::RowId> share_row, maximum_row;
  std::int32_t supply_columns = 0;  // leading columns: for pools, time slots and open work, not for commodities
  IdVector<ClassId, solver::ColumnId> open_column;
  IdVector<CommodityId, std::vector<solver::ColumnId>> unserved_columns;
  std::vector<CommodityColumn<ZoneId>> in_zone;
  std::vector<CommodityColumn<ClassId>> in_class;
  IdVector<CommodityId, std::vector<ClassId>> classes_of;  // with columns
  std::vector<std::pair<std::pair<DataSetId, ZoneId>, solver::ColumnId>> copies;

 private:
  void add_rows();
  void add_side_rows();
  void add_pool_rows();
  void add_steps();
  void add_commodities(ClassColumns columns);
  void add_copies();
  void add_copy(const SharedObject& object, ZoneId zone, const std::vector<CommodityId>& readers);
  solver::RowId space(ZoneId zone);
  struct At {  // where a column's work runs, and its units
    ZoneId zone;
    ClassId of_class;  // none: any of the zone
    Terms terms;
  };
  template <class Visit>
  void each_column(const Commodity& commodity, const At& at, Visit visit) const;
  Column column_of(const Commodity& commodity, const At& at, ZoneId from) const;
  void read_from(const Commodity& commodity, ZoneId from, ZoneId zone, Terms terms, Column& column) const;
  static ZoneSet holders(const Commodity& commodity, Terms terms) {
    return terms == Terms::least ? commodity.least.zones : commodity.zones;
  }
  ZoneSet remote_sources(ZoneSet holders, ZoneId zone) const;

  ClassFormInput input_;
  Terms terms_;
  double speed_ = 1;  // of all classes, where a pool's maximum meets commodities that any class may take
};

template <class Visit>
void ClassFormProgram::each_column(const Commodity& commodity, const At& at, Visit visit) const {
  const ZoneSet sources = remote_sources(holders(commodity, at.terms), at.zone);
  if (sources.empty()) visit(column_of(commodity, at, ZoneId::none()));
  for (ZoneId from : input_.cluster.zones.ids())
    if (sources.contains(from)) visit(column_of(commodity, at, from));
}

// With every column, for other solvers.
solver::LinearProgram class_form_program(const ClassFormInput& input);

}  // namespace lips
