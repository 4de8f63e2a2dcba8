// Merges nearly equal classes of nodes when there are too many, and deals the merged program's amounts to the true
// ones. Knows no program.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "policies/lips/market/amounts.h"
#include "policies/lips/market/workload.h"

namespace lips {

// Merges classes of a zone that take the same tasks, with nearly the same price, speed and memory of a core: the more
// there are, the wider is nearly. What one costs more than the others is a price of its time slots.
class ClassMerging {
 public:
  // Keeps references.
  ClassMerging(const ClusterSnapshot& cluster, const NodeClasses& classes, const Workload& workload, std::size_t most);
  const NodeClasses& merged() const { return merged_; }
  ClassId of(ClassId c) const { return of_[c]; }
  // USD per CPU-second that the class costs more than those that it is merged into.
  double surcharge(ClassId c) const {
    return (classes_.classes[c].price - merged_.classes[of_[c]].price).value() * classes_.classes[c].to_pay;
  }
  // A CPU-second there keeps memory for as much shorter as the class is faster.
  double speedup(ClassId c) const { return classes_.classes[c].speed / merged_.classes[of_[c]].speed; }
  // Time slots are used the cheapest first, and each class that they belong to takes the same mix of tasks.
  Amounts deal(const Amounts& merged) const;

 private:
  using Kind = std::pair<ConstraintId, Resources>;  // of commodities that every class takes or refuses alike
  struct Part {
    CommodityId commodity;
    double work = 0;
  };
  using Mix = std::map<Kind, std::vector<Part>>;

  void find_signatures();
  void merge(double width);
  CapacityStep used(ClassId merged, const Mix& mix, double open_work) const;
  std::vector<std::pair<ClassId, double>> shares(ClassId merged, CapacityStep used) const;

  const ClusterSnapshot& cluster_;
  const NodeClasses& classes_;
  const Workload& workload_;
  IdVector<ClassId, std::size_t> signature_;  // equal: the same tasks are eligible
  NodeClasses merged_;
  IdVector<ClassId, ClassId> of_;                   // the merged one
  IdVector<ClassId, std::vector<ClassId>> owners_;  // of each time slot of each merged one
};

}  // namespace lips
