#include "policies/lips/account/sharing.h"

#include <algorithm>
#include <limits>

#include "policies/lips/prices/price_terms.h"

namespace lips {

namespace {

constexpr double none = -std::numeric_limits<double>::infinity();

// The saving of a start now against the best of all later or other places, at the program's prices.
class Savings {
 public:
  explicit Savings(const SolvedMarket& market) : market_(market) {}

  // USD per CPU-second, on that class.
  double of(const Commodity& commodity, const NodeClass& group) const {
    double elsewhere = commodity.unserved_price;
    for (const ZoneId zone : market_.amounts.zone_price.ids())
      elsewhere = std::min(elsewhere, commodity.non_cpu_cost[zone] + market_.amounts.zone_price[zone]);
    return elsewhere - price_in(market_.classes, group, commodity);
  }

  // On the best of the classes that have nodes.
  double best(const Commodity& commodity) const {
    double most = none;
    for (const NodeClass& group : market_.classes.classes)
      if (!group.offer.valid()) most = std::max(most, of(commodity, group));
    return most;
  }

 private:
  const SolvedMarket& market_;
};

struct Margins {
  double waits = none;  // the most that a start of a waiting task of the pool saves
  double starts = -none;  // the least that a start of the plan saves
};

IdVector<PoolId, Margins> margins(const SolvedMarket& market, const WholeTasks& whole) {
  const auto& [cluster, classes, workload, amounts] = market;
  const Savings savings(market);
  IdVector<PoolId, Margins> result(cluster.pools.size());
  IdVector<PortionId, std::uint32_t> left;
  for (const Portion& portion : workload.portions) left.push_back(portion.tasks);
  for (const Placement& placement : whole.placements) {
    const Portion& portion = workload.portions[placement.portion];
    left[placement.portion] -= placement.tasks;
    double& least = result[cluster.jobs[portion.job].pool].starts;
    least = std::min(least, savings.of(workload.commodities[portion.commodity],
                                       classes.classes[classes.class_of[placement.node]]));
  }
  IdVector<CommodityId, double> best(workload.commodities.size(), none);
  for (const PortionId id : left.ids()) {
    if (left[id] == 0) continue;
    const Portion& portion = workload.portions[id];
    double& known = best[portion.commodity];
    if (known == none) known = savings.best(workload.commodities[portion.commodity]);
    double& most = result[cluster.jobs[portion.job].pool].waits;
    most = std::max(most, known);
  }
  return result;
}

}  // namespace

std::vector<PoolSharing> sharing(const SolvedMarket& market, const PoolShares& shares, const WholeTasks& whole,
                                 const Plan& plan) {
  const ClusterSnapshot& cluster = market.cluster;
  IdVector<PoolId, PoolClaim> claims = shares.claims;
  for (const Assignment& assignment : plan.assignments) {
    const Job& job = cluster.jobs[cluster.tasks[assignment.task].job];
    add_amounts(claims[job.pool].used, job.request, 1);
  }
  const IdVector<PoolId, Margins> saved =
      shares.contended() ? margins(market, whole) : IdVector<PoolId, Margins>(cluster.pools.size());
  std::vector<PoolSharing> result;
  bool borrows = false;
  for (const PoolId pool : cluster.pools.ids()) {
    const Entitlement& share = shares.of[pool];
    const double use = dominant_share(claims[pool].used, shares.capacity), over = std::max(0.0, use - share.share);
    borrows = borrows || over > 0;
    double least = -none;
    for (const PoolId other : cluster.pools.ids())
      if (other != pool) least = std::min(least, saved[other].starts);
    const double price = share.limits() && saved[pool].waits > least ? saved[pool].waits - least : 0;
    result.push_back({cluster.pools[pool].name, share.share, use, share.wanted, 0, over, 3600 * price});
  }
  for (PoolSharing& pool : result)
    if (borrows) pool.lent = std::max(0.0, pool.entitlement - pool.use);
  return result;
}

}  // namespace lips
