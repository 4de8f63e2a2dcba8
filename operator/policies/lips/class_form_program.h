// The class form's linear program: its rows and columns, and what each stands for. Solves nothing.
#pragma once

#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "policies/lips/commodities.h"
#include "solver/linear_program.h"

namespace lips {

struct PoolRow {
  PoolId pool;
  double least = 0;                // CPU-seconds of work in the horizon
  double most = solver::infinity;  // core-seconds in the horizon
  double shortfall_price = 0;      // USD per CPU-second below `least`; 0: `least` is not counted
};

struct ClassFormSettings {
  double link_capacity = 0;  // MiB from one zone to one other in the horizon; 0: not limited
  std::vector<PoolRow> pools;
  double good_enough = 1e-4;  // certified gap at which no more columns are sought
  std::int64_t max_iterations = 2'000'000;
  std::size_t most_commodities = 1500;  // that are solved as they are
};

// Which rows beside CPU's some commodity needs: it asks for more of that per core than some class has.
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

enum class ClassColumns : std::uint8_t { start, all };

class ClassFormProgram {
 public:
  struct CommodityColumn {
    std::uint32_t commodity, place;  // a class or a zone
    std::int32_t column;
  };
  struct Column {  // of a commodity: its cost, and its entries without that in the commodity's own row
    double cost = 0;
    std::array<solver::Entry, 7> entry;
    std::size_t count = 0;
    void add(std::int32_t row, double value) { entry[count++] = {row, value}; }
    std::span<const solver::Entry> entries() const { return {entry.data(), count}; }
  };

  ClassFormProgram(const ClassFormInput& input, ClassColumns columns, Terms terms = Terms::expected);

  bool eligible(const Commodity& commodity, std::uint32_t c) const;
  // visit(column), without the commodity's own row, for each column by which the commodity may use the zone (any class)
  // or the class: one for each zone that it may read from.
  template <class Visit>
  void each_column(const Commodity& commodity, std::uint32_t place, Terms terms, Visit visit) const;
  void add_class(std::uint32_t u, std::uint32_t c);
  std::size_t zones() const { return input_.cluster.zones.size(); }

  solver::LinearProgram program;
  std::vector<std::int32_t> commodity_row, zone_row, cpu_row, memory_row, slot_row, link_row, space_row;
  std::map<PoolId, std::int32_t> share_row, maximum_row;
  std::int32_t first_commodity_column = 0;
  std::vector<std::int32_t> open_column,
      unserved_column;  // [class], [commodity]: the first of its columns for unserved work
  std::vector<CommodityColumn> in_zone, in_class;
  std::vector<std::vector<std::uint32_t>> classes_of;  // [commodity] classes with columns
  std::vector<std::pair<std::pair<DataSetId, ZoneId>, std::int32_t>> copies;

 private:
  void add_rows();
  void add_side_rows();
  void add_pool_rows();
  void add_steps();
  void add_commodities(ClassColumns columns);
  void add_copies();
  void add_copy(const SharedObject& object, ZoneId zone, const std::vector<std::uint32_t>& readers);
  std::int32_t space(ZoneId zone);
  struct At {  // where a column's work runs, and in which terms it is counted
    std::uint32_t place;
    Terms terms;
  };
  Column column_of(const Commodity& commodity, At at, ZoneId from) const;
  ZoneSet remote_sources(ZoneSet holders, ZoneId zone) const;

  ClassFormInput input_;
  Terms terms_;
  double speed_ = 1;  // of all classes, where a pool's maximum meets commodities that any class may take
  mutable std::map<ConstraintId, std::vector<bool>> eligible_;  // [class], as asked for
};

template <class Visit>
void ClassFormProgram::each_column(const Commodity& commodity, std::uint32_t place, Terms terms, Visit visit) const {
  const ZoneId zone = commodity.any_class ? ZoneId(place) : input_.classes.classes[place].zone;
  const ZoneSet sources = remote_sources(terms == Terms::least ? commodity.least.zones : commodity.zones, zone);
  if (sources.empty()) visit(column_of(commodity, {place, terms}, ZoneId::none()));
  for (std::uint32_t from = 0; from < zones(); ++from)
    if (sources.contains(ZoneId(from))) visit(column_of(commodity, {place, terms}, ZoneId(from)));
}

// With every column, as other solvers are to see it.
solver::LinearProgram class_form_program(const ClassFormInput& input);

}  // namespace lips
