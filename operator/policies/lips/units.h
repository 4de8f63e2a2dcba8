// What the model sees of the pending work: portions (a job's tasks that are alike), merged into units that no row can tell apart.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "model/costs.h"
#include "model/snapshot.h"
#include "policies/lips/classes.h"

namespace lips {

// Tasks of one TaskGroup of the snapshot.
struct Portion {
  JobId job;
  std::uint32_t group = 0;  // in snapshot.groups[job]
  std::uint32_t tasks = 0;
  double work = 0;          // CPU-seconds of one task
  double urgency = 0;       // arrival + k x (job's work / cluster's rate), seconds; least goes first
  std::uint32_t unit = 0;
};

// Equal portions: their amounts are counted in CPU-seconds of work.
struct Unit {
  double work = 0;                 // of all its tasks
  std::vector<double> extra;       // [zone] USD per CPU-second on top of the CPU's price: transfer, shuffle, locality
  std::vector<double> preference;  // [zone] the part of `extra` that no bill shows: the locality price
  double overflow_price = 0;       // USD per CPU-second for not being planned at all
  std::vector<std::pair<double, double>> overflow_steps;  // of merged units: (price, work); empty: all at overflow_price
  bool any_class = true;           // every class of every zone may take it and only CPU binds: the zone form is exact for it
  ConstraintId constraint;
  Resources request;
  PoolId pool;                     // none unless pools have rows
  DataSetId shared;                // a data set with further readers whose copies are columns; else none
  ZoneSet zones;                   // that hold its input
  double input_per_work = 0;       // MiB per CPU-second
  std::vector<std::uint32_t> portions;  // by urgency
};

struct Units {
  std::vector<Portion> portions;
  std::vector<Unit> units;
};

enum class CopyPricing : std::uint8_t {
  none,          // a remote read pays for itself
  shared_price,  // 1 / (1 + min(E, 2)) of it, E = other pending readers of the same data (the copy stays)
  fair_share,    // each pending reader pays its part of one copy: never more than any plan with copies does, so bounds hold
  columns        // copies of shared data are columns of the model
};

struct UnitSettings {
  double order_factor = 20;
  CopyPricing copies = CopyPricing::none;
  UsdPerMebibyte locality_price{0};
  bool per_pool = false;           // pools have rows of their own
  bool links = false;              // links between zones have rows of their own
  double overflow_price = 0;       // 0: ten times the dearest real unit price
  std::vector<bool> skip;          // [job] already served (express); empty: none
  std::vector<ZoneId> homes;       // [job] chosen just now, where valid; empty: none
  double share_boost_hours = 0;    // per USD per CPU-second of shortfall price: how much earlier a pool below its share goes
};

Units make_units(const ClusterSnapshot& cluster, const CostModel& costs, const NodeClasses& classes, const UnitSettings& settings);

// [zone] USD that one task of the group costs there besides its CPU, when its job's home is `home` (or none).
void extra_costs(const ClusterSnapshot& cluster, const CostModel& costs, const Job& job, const TaskGroup& group, ZoneId home,
                 std::vector<double>& usd);

// Pending readers' unread share of each data set, in whole data sets.
IdVector<DataSetId, double> pending_readers(const ClusterSnapshot& cluster);

// What every reader of the same blocks would pay of one copy: the most that one job reads over all that is read, per data set
// and set of zones. 1 where only one job reads.
class FairShares {
 public:
  explicit FairShares(const ClusterSnapshot& cluster);
  double of(const TaskGroup& group) const;

 private:
  std::map<std::pair<DataSetId, ZoneSet>, double> share_;
};

// Takes off what other pending readers would share of a copy that stays: the read costs transfer / (1 + min(E, 2)).
// Returns E, the other pending jobs' unread share of the group's data set.
double discount_shared_copy(const ClusterSnapshot& cluster, const CostModel& costs, const IdVector<DataSetId, double>& readers,
                            JobId job, const TaskGroup& group, std::vector<double>& usd);

}  // namespace lips
