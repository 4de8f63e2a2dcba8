// The home zone of each job's reducers, with a certified bound on the cost of all such plans (docs/shuffle.md).
// Mathematics on amounts of work by zone: knows no snapshot, node or single task.
#pragma once

#include <cstdint>
#include <span>
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

// Bound by cutting planes, homes by its prices, one exact re-solve with the homes fixed, single moves, then branching
// on homes while the gap is above `enough`.
HomePlan plan_homes(const HomeInput& input, const HomeOptions& options = {});

// The cheapest plan with these homes (a job's own `home` wins; none is allowed only without shuffle). Its bound is for
// these homes.
HomePlan plan_with_homes(const HomeInput& input, std::span<const ZoneId> homes);

// The bound for any zone prices, each >= 0 and at most the overflow price:
// sum_j min_h { rw_j lam_h + sum_s n_js min_z (w_js lam_z + read(s,z) + sigma_j(z,h)) } - sum_{z,c} cap_c max(0, lam_z
// - p_c).
Usd home_lower_bound(const HomeInput& input, std::span<const UsdPerCpuSecond> prices);

// The best such bound; it is the optimum of the LP over the convex hull of each job's choices.
struct HullBound {
  Usd lower_bound;
  std::vector<UsdPerCpuSecond> prices;
  std::vector<std::vector<double>> home_share;  // by job and zone, of that LP's optimum; empty for a job without choice
  int evaluations = 0;
};
HullBound hull_bound(const HomeInput& input);

// Least cost at these prices; none for a job without shuffle.
std::vector<ZoneId> homes_by_prices(const HomeInput& input, std::span<const UsdPerCpuSecond> prices);

}  // namespace lips
