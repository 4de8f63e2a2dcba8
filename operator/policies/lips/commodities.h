// The model's view of pending work: portions (a job's tasks that are alike), merged into commodities that no row can
// tell apart.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/costs.h"
#include "model/snapshot.h"
#include "policies/lips/by_zone.h"
#include "policies/lips/classes.h"
#include "policies/lips/job_order.h"
#include "policies/lips/read_prices.h"

namespace lips {

// Of one task: zero work would make prices per CPU-second infinite.
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
  double longest = 0;         // seconds that one of its tasks takes at speed 1
  bool by_length = false;     // its tasks are all that long, which some classes charge for (length_price.h)
  bool by_room = false;       // its tasks wait for room on one node of some class (whole_room.h)
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
// What its read alone takes of the time of a class of speed 1 in the zone.
double read_time(const ClusterSnapshot& cluster, const Commodity& commodity, ZoneId zone, Terms terms);
double occupancy(const ClusterSnapshot& cluster, const Commodity& commodity, const NodeClass& group,
                 Terms terms = Terms::expected);

enum class CopyPricing : std::uint8_t {
  none,          // a remote read pays for itself
  shared_price,  // 1 / (1 + min(E, 2)) of the price, E = other pending readers of the same data (the copy stays)
  fair_share,    // each pending reader pays its part of one copy: never more than any plan with copies does, so bounds
                 // hold
  columns        // copies of shared objects are columns of the model; readers of parts of them pay their fair share
};

struct CommoditySettings {
  JobOrderSettings order = {};
  CopyPricing copies = CopyPricing::none;
  UsdPerMebibyte locality_price{0};
  bool per_pool = false;           // pools have rows of their own
  bool links = false;              // links between zones have rows of their own
  UsdPerCpuSecond unserved_price;  // 0: ten times the dearest real price
  std::vector<bool> skip;          // [job] already served (fast path); empty: none
  std::vector<ZoneId> homes;       // [job] chosen just now, where valid; empty: none
  Duration horizon{0};             // 0: time slots that wait for everything, and no LeastCosts
  WaitingWeights weights = {};
};

Workload make_commodities(const ClusterSnapshot& cluster, const CostModel& costs, const NodeClasses& classes,
                          const CommoditySettings& settings);

// USD that a map of the job away from its home pays later for sending its output there (docs/shuffle.md: sigma).
double home_cost(const CostModel& costs, const Job& job, const TaskGroup& group, ZoneId home, ZoneId zone);

// USD by zone of one task of the group besides its CPU, when its job's home is `home` (or none).
void non_cpu_costs(const ClusterSnapshot& cluster, ReadPrices& reads, const Job& job, const TaskGroup& group,
                   ZoneId home, ByZone& usd);

// Pending readers' unread share of each data set, in whole data sets.
IdVector<DataSetId, double> pending_readers(const ClusterSnapshot& cluster);

// Pending readers of each block, and the targets of blocks on their way: the least cost of a group's reads. Counts the
// readers of a data set when it is first asked about.
class PendingReads {
 public:
  explicit PendingReads(const ClusterSnapshot& cluster);
  struct Of {
    std::uint32_t most_readers = 1;  // of one of the group's blocks
    ZoneSet zones;                   // that hold one of them, or will
  };
  Of of(const TaskGroup& group) const;
  std::uint32_t readers(BlockId block) const;

 private:
  struct Counted {
    std::vector<std::uint32_t> readers;  // by block, from the data set's first
    bool shared = false;                 // some block has several
  };
  struct Reader {
    DataSetId data_set;
    JobId job;
    std::uint32_t group = 0;
  };
  std::size_t place_of(BlockId block) const;
  const Counted& counted(DataSetId data_set) const;

  const ClusterSnapshot& cluster_;
  std::vector<Reader> readers_;  // by data set
  mutable std::unordered_map<DataSetId, Counted> counted_;
  std::unordered_map<DataSetId, std::unordered_map<BlockId, ZoneSet>> coming_;
};

// Which portions read the same blocks.
class SharedData {
 public:
  explicit SharedData(const ClusterSnapshot& cluster);
  const IdVector<SharedObjectId, SharedObject>& objects() const { return objects_; }
  // None where the portion shares nothing, or shares some of its blocks only.
  SharedObjectId object(JobId job, std::uint32_t group) const { return of_[job][group].object; }
  // One over the pending readers of the portion's most read block: the share of each when all share one copy, so never
  // more than in any plan with copies.
  double fair_share(JobId job, std::uint32_t group) const { return 1.0 / of_[job][group].most_readers; }

 private:
  struct Entry {
    SharedObjectId object;
    std::uint32_t most_readers = 1;
  };
  void count_readers(const ClusterSnapshot& cluster);
  void find_objects(const ClusterSnapshot& cluster);

  IdVector<SharedObjectId, SharedObject> objects_;
  IdVector<JobId, std::vector<Entry>> of_;
  IdVector<BlockId, std::uint32_t> readers_;
};

// Discounts the share of other pending readers in a copy that stays: the read costs transfer / (1 + min(E, 2)).
// Returns E, the other pending jobs' unread share of the group's data set.
double discount_shared_copy(const ClusterSnapshot& cluster, ReadPrices& reads,
                            const IdVector<DataSetId, double>& readers, JobId job, const TaskGroup& group, ByZone& usd);

}  // namespace lips
