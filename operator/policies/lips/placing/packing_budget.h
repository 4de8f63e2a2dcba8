// The model's budgets for each class, pool and link over the whole horizon, as packing uses them up.
#pragma once

#include <vector>

#include "policies/lips/placing/demands.h"

namespace lips {

struct BudgetLimits {
  IdVector<PoolId, double> pool_core_seconds;  // empty: no limit
  Mebibytes link;                              // from each zone to each other; 0: no limit
};

class PackingBudget {
 public:
  PackingBudget(const ClusterSnapshot& cluster, const CostModel& costs, const NodeClasses& classes,
                const Workload& workload, const Demands& demands, const BudgetLimits& limits);

  double work_left(ClassId c) const { return classes_left_[c].work; }
  // How many of the portion's tasks the class, the pool and the links still allow.
  double tasks(PortionId portion, ClassId c) const;
  // Takes them, and returns the zone that they read from; none: the cheapest. At most `tasks` may be taken at once.
  ZoneId take(PortionId portion, ClassId c, std::uint32_t tasks);

 private:
  struct Use {
    double work, memory, slots, core_seconds, mebibytes;
  };
  Use use(const Demand& demand, ClassId c) const;
  // The cheapest zone whose link has room for one more task, when a link is crossed at all.
  ZoneId source(const Commodity& commodity, ZoneId to, double mebibytes) const;
  double& link(ZoneId from, ZoneId to) { return links_left_[from][to]; }
  double link(ZoneId from, ZoneId to) const { return links_left_[from][to]; }
  bool crosses(const Demand& demand, ZoneId to) const {
    if (links_left_.empty()) return false;
    const ZoneSet zones = workload_.commodities[demand.commodity].zones;
    return !zones.empty() && !zones.contains(to);
  }

  const ClusterSnapshot& cluster_;
  const CostModel& costs_;
  const NodeClasses& classes_;
  const Workload& workload_;
  const Demands& demands_;
  IdVector<ClassId, CapacityStep> classes_left_;
  IdVector<PoolId, double> pools_left_;
  IdVector<ZoneId, IdVector<ZoneId, double>> links_left_;  // [from][to]; empty: no limit
};

}  // namespace lips
