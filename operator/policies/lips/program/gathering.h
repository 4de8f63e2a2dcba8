// Gathers commodities that go the same way at given prices, where there are still too many after merging those of
// nearly equal costs: with many zones their data lies in many different sets of them. Knows no program.
#pragma once

#include <tuple>
#include <vector>

#include "policies/lips/market/amounts.h"
#include "policies/lips/market/workload.h"

namespace lips {

// The price of a CPU-second in each zone beside the commodities' own costs there, if only cores counted and every class
// took every task.
ByZone prices_of_cores(const NodeClasses& classes, const Workload& workload, std::size_t zones);

class Gathering {
 public:
  // Keeps a reference to the workload. Gathers commodities of one kind which are cheapest in the same zone, apart from
  // those that another zone would cost much more: about `most` gatherings.
  Gathering(const Workload& workload, const ByZone& prices, std::size_t most);
  const Workload& gathered() const { return gathered_; }
  // The amount of a kind that goes into a zone goes to those members that lose least by it.
  Amounts deal(const NodeClasses& classes, const Amounts& gathered) const;

 private:
  // Commodities of one kind differ by what they cost in each zone, and by what it costs to leave them.
  using Kind = std::tuple<bool, ConstraintId, Resources, PoolId, std::uint32_t, int, double>;
  static Kind kind_of(const Commodity& commodity);
  struct Choice {
    ZoneId best;
    double margin = 0;  // USD per CPU-second by which the next one is dearer
  };
  Choice choice(CommodityId id, const ByZone& prices) const;
  void gather(std::vector<CommodityId> members);
  struct Way {
    std::vector<CommodityId> members;
    ByZone room;
    IdVector<ZoneId, std::vector<std::pair<ClassId, double>>> in_class;
  };
  void deal(const Way& way, Amounts& fine) const;
  void deal_in_zone(const std::vector<std::pair<CommodityId, double>>& members,
                    std::vector<std::pair<ClassId, double>> classes, Amounts& fine) const;

  const Workload& workload_;
  Workload gathered_;
  IdVector<CommodityId, std::vector<CommodityId>> members_;  // of each gathering
};

}  // namespace lips
