// The prices of the class form's columns at given duals of its rows, without the row of their commodity. The part of a
// class is worked out once for all commodities with the same constraint and request, that of a zone once for each
// commodity.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "policies/lips/program/class_form_program.h"

namespace lips {

// Keeps references to all that it is made of.
class ColumnPrices {
 public:
  ColumnPrices(const ClassFormInput& input, const ClassFormProgram& form, Terms terms, const std::vector<double>& dual)
      : input_(input), form_(form), terms_(terms), dual_(dual) {}

  // USD per CPU-second in the commodity's cheapest column; infinity where it has none.
  double least(const Commodity& commodity);
  // visit(class, USD per CPU-second in its cheapest column there), for each class that may take the commodity.
  template <class Visit>
  void each_class(const Commodity& commodity, Visit visit) {
    const std::vector<InClass>& classes = classes_for(commodity);
    look_at_zones(commodity);
    for (const InClass& in : classes) visit(in.of_class, usd(in));
  }

 private:
  struct InClass {
    ClassId of_class;
    ZoneId zone;
    double speed = 1, price = 0, time_price = 0;  // USD per CPU-second of work; of the class's time, in rows
  };
  struct InZone {
    double usd = 0;   // per CPU-second of work
    double read = 0;  // as of read_time()
  };
  const std::vector<InClass>& classes_for(const Commodity& commodity);
  void look_at_zones(const Commodity& commodity);
  double usd(const InClass& in) const;
  double dual(solver::RowId row) const { return dual_[row.index()]; }

  const ClassFormInput& input_;
  const ClassFormProgram& form_;
  Terms terms_;
  const std::vector<double>& dual_;
  std::map<std::pair<ConstraintId, Resources>, std::vector<InClass>> classes_;
  // The commodity at which it looked last.
  const Commodity* commodity_ = nullptr;
  IdVector<ZoneId, InZone> zones_;
  double core_price_ = 0;  // USD per core-second, of its pool's maximum
  bool takes_time_ = true;
};

}  // namespace lips
