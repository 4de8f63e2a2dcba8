// The home zone of each job's reducers, with a certified bound on the cost of all such plans (docs/shuffle.md).
// Mathematics on amounts of work by zone: knows no snapshot, node or single task.
#pragma once

#include <span>
#include <vector>

#include "policies/home_zones/home_plan.h"

namespace lips {

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
