// The model's view of pending work: portions (a job's tasks that are alike), merged into commodities that no row can
// tell apart.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/snapshot.h"
#include "policies/lips/market/by_zone.h"
#include "policies/lips/market/node_classes.h"

namespace lips {

// The least work of one task: zero work would make prices per CPU-second infinite.
inline constexpr double least_work = 1e-3;

// Tasks of one TaskGroup of the snapshot.
struct Portion {
  JobId job;
  std::uint32_t group = 0;  // in snapshot.groups[job]
  std::uint32_t tasks = 0;
  double work = 0;     // CPU-seconds of one task
  double urgency = 0;  // arrival + k x (job's work / cluster's rate), seconds; least goes first
  CommodityId commodity;
};

// Costs below which no policy's plan can go; only with a horizon, where plans can be compared. There are no
// preferences, one copy of a block serves all of its readers, blocks on their way have arrived, and tasks rounded up
// to the least work pay for their own work.
struct LeastCosts {
  ByZone non_cpu_cost;        // USD per CPU-second
  double input_per_work = 0;  // MiB per CPU-second that cross a link
  ZoneSet zones;              // that hold its input
};

// Equal portions: their amounts are counted in CPU-seconds of work. Plain numbers, as in CapacityStep.
struct Commodity {
  double work = 0;      // of all its tasks
  ByZone non_cpu_cost;  // USD per CPU-second on top of the CPU's price: transfer, shuffle, locality
  ByZone
      virtual_cost;  // the part of `non_cpu_cost` on no bill of this plan: locality, and the shuffle expected at home
  double unserved_price = 0;  // USD per CPU-second for not being planned at all
  std::vector<std::pair<double, double>>
      unserved_steps;     // of merged commodities: (price, work); empty: all at unserved_price
  bool any_class = true;  // every class of every zone may take it and only CPU binds: the zone form is exact for it
  ConstraintId constraint;
  Resources request;  // where not any class may take it: of each task
  double least_memory_per_core = 0;
  PoolId pool;                // none unless pools have rows
  SharedObjectId shared;      // its copies are columns
  ZoneSet zones;              // that hold its input
  double input_per_work = 0;  // MiB per CPU-second
  double urgency = 1;         // its jobs take the dollars of nodes lighter by this (demand/waiting_weights.h)
  double longest = 0;         // seconds that one of its tasks takes at speed 1
  std::uint32_t charged = 0;  // bits: the terms that some class charges its tasks for (prices/price_terms.h)
  LeastCosts least;
  std::vector<PortionId> portions;  // by urgency
};

// Blocks that several portions read, each of them all: one copy in a zone serves every reader there.
struct SharedObject {
  DataSetId data_set;
  ZoneSet zones;
  Mebibytes size;
};

struct Workload {
  IdVector<PortionId, Portion> portions;
  IdVector<CommodityId, Commodity> commodities;
  IdVector<SharedObjectId, SharedObject> objects;
  bool copies_pay_off_once = true;  // no chain of copies and reads is cheaper than a direct one: copy columns suffice
  bool costs_are_least = true;      // of every commodity: the model's own bound is one for every plan
  // Seconds that some task may run past: plans that start it at once are valid, and no row of the model covers them.
  // 0: none may.
  double overrun = 0;
};

// The costs behind a bound: those that the model expects, or those below which no plan can go.
enum class Terms : std::uint8_t { expected, least };

// CPU-seconds of the class's time per CPU-second of the commodity's work: above one when its read is slower. For least
// costs it reads from the node itself, and a task that requests no CPU takes none.
bool takes_time(const Commodity& commodity, Terms terms);
// The part that its read alone takes of the time of a class of speed 1 in the zone.
double read_time(const ClusterSnapshot& cluster, const Commodity& commodity, ZoneId zone, Terms terms);
double occupancy(const ClusterSnapshot& cluster, const Commodity& commodity, const NodeClass& group,
                 Terms terms = Terms::expected);
// CPU-seconds of the class's time that a task of so much work is expected to take.
double class_time(const ClusterSnapshot& cluster, const Commodity& commodity, const NodeClass& group, double work);
// Seconds that such a task runs; `request`: its own.
double run_seconds(const ClusterSnapshot& cluster, const Commodity& commodity, const NodeClass& group,
                   const Resources& request, double work);

}  // namespace lips
