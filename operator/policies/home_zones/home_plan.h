// The question and the answer of home zones, as values: work, data and supply by zone, and the homes chosen.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "model/costs.h"
#include "model/zone_set.h"

namespace lips {

// Identical maps of a job; every map of a job writes the same share of its shuffle.
struct MapGroup {
  ZoneSet zones;  // that hold a replica of the input; empty: reads nothing
  double tasks = 0;
  CpuSeconds work;  // of one task
  Mebibytes input;  // of one task
};

struct HomeJob {
  std::vector<MapGroup> maps;         // still to run
  CpuSeconds reduce_work;             // of all reducers
  Mebibytes shuffle;                  // output of the maps above
  std::vector<Mebibytes> map_output;  // by zone, of maps already run; may be empty
  ZoneId home;                        // chosen before; none: free to choose
  ZoneSet homes = {};                 // allowed choices; empty: all
};

struct SupplyStep {
  CpuSeconds capacity;
  UsdPerCpuSecond price;
};
using ZoneSupply = std::vector<SupplyStep>;

struct HomeInput {
  std::vector<HomeJob> jobs;
  std::vector<ZoneSupply> zones;  // by zone id; steps may come in any order
  CostModel costs;
  UsdPerCpuSecond overflow;  // of work beyond a zone's steps (unserved); 0: ten times the most expensive step
  std::vector<UsdPerCpuSecond> prices;  // of the last plan, as a start; may be empty
};

enum class HomeMethod : std::uint8_t {
  given,     // the caller's homes
  prices,    // homes rounded from the bound's zone prices
  improved,  // then moved job by job
  branched,  // found while branching on homes
};

struct HomePlacement {
  ZoneId home;                   // none: the job has no shuffle, its reducers may be anywhere
  std::vector<double> maps;      // tasks by group and zone: maps[group * zones + zone]
  std::vector<double> reducers;  // share of reduce_work by zone; adds up to 1
};

struct HomePlan {
  std::vector<HomePlacement> jobs;
  Bill cost;        // cpu (waiting and overflow as the steps price them), transfer, shuffle
  Usd lower_bound;  // no plan costs less that keeps each job's reducers in one zone
  double gap = 0;   // (cost - lower_bound) / lower_bound
  std::vector<UsdPerCpuSecond> zone_prices;
  HomeMethod method = HomeMethod::given;
  int evaluations = 0;  // of the bound
  int nodes = 0;        // branched on
};

struct HomeOptions {
  double enough = 1e-3;       // stop branching at this gap
  int max_nodes = 20;         // 0: never branch
  int max_evaluations = 200;  // branch no further after so many
};

}  // namespace lips
