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
  explicit Savings(const SolvedMarket& market)
      : market_(market), cheapest_(market.cluster.zones.size(), std::numeric_limits<double>::infinity()) {
    for (const NodeClass& group : market.classes.classes)
      if (!group.offer.valid()) cheapest_[group.zone] = std::min(cheapest_[group.zone], group.price.value());
  }

  // USD per CPU-second, on that class.
  double of(const Commodity& commodity, const NodeClass& group) const {
    return elsewhere(commodity) - price_in(market_.classes, group, commodity);
  }

  // On the best of the classes that have nodes.
  double best(const Commodity& commodity) const {
    double least = std::numeric_limits<double>::infinity();
    if (commodity.charged == 0) {
      for (const ZoneId zone : cheapest_.ids()) least = std::min(least, cheapest_[zone] + commodity.non_cpu_cost[zone]);
    } else {
      for (const NodeClass& group : market_.classes.classes)
        if (!group.offer.valid()) least = std::min(least, price_in(market_.classes, group, commodity));
    }
    return elsewhere(commodity) - least;
  }

 private:
  double elsewhere(const Commodity& commodity) const {
    double usd = commodity.unserved_price;
    for (const ZoneId zone : market_.amounts.zone_price.ids())
      usd = std::min(usd, commodity.non_cpu_cost[zone] + price_of_zone(zone, commodity.urgency));
    return usd;
  }

  // The nodes' part of it is as light as the jobs take dollars.
  double price_of_zone(ZoneId zone, double urgency) const {
    const double price = market_.amounts.zone_price[zone];
    return price + (1 / urgency - 1) * std::min(price, cheapest_[zone]);
  }

  const SolvedMarket& market_;
  IdVector<ZoneId, double> cheapest_;  // of its classes that have nodes
};

struct Margins {
  double waits = none;    // the most that a start of a waiting task saves; of pools that wait for others alone
  double starts = -none;  // the least that a start of the plan saves
};

IdVector<PoolId, Margins> margins(const SolvedMarket& market, const PoolShares& shares, const WholeTasks& whole) {
  const auto& [cluster, classes, workload, amounts] = market;
  const Savings savings(market);
  IdVector<PoolId, Margins> result(cluster.pools.size());
  IdVector<PortionId, std::uint32_t> left;
  for (const Portion& portion : workload.portions) left.push_back(portion.tasks);
  for (const Placement& placement : whole.placements) {
    const Portion& portion = workload.portions[placement.portion];
    left[placement.portion] -= placement.tasks;
    double& least = result[cluster.jobs[portion.job].pool].starts;
    least = std::min(
        least, savings.of(workload.commodities[portion.commodity], classes.classes[classes.class_of[placement.node]]));
  }
  IdVector<CommodityId, double> best(workload.commodities.size(), none);
  for (const PortionId id : left.ids()) {
    const Portion& portion = workload.portions[id];
    if (left[id] == 0 || !shares.of[cluster.jobs[portion.job].pool].limits()) continue;
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
  for (const Reclaim& reclaim : plan.reclaims) {
    const Job& job = cluster.jobs[cluster.tasks[reclaim.task].job];
    add_amounts(claims[job.pool].used, job.request, -1);
  }
  IdVector<PoolId, ResourceAmounts> held(cluster.pools.size(), ResourceAmounts(shares.capacity.size(), 0.0));
  for (const HeldRoom& room : plan.account.held)
    if (!room.spare) add_amounts(held[cluster.jobs[room.job].pool], room.room, 1);
  const IdVector<PoolId, Margins> saved =
      shares.contended() ? margins(market, shares, whole) : IdVector<PoolId, Margins>(cluster.pools.size());
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
    result.push_back({cluster.pools[pool].name, share.share, use, share.wanted,
                      dominant_share(held[pool], shares.capacity), 0, over, 3600 * price});
  }
  for (PoolSharing& pool : result)
    if (borrows) pool.lent = std::max(0.0, pool.entitlement - pool.use);
  return result;
}

}  // namespace lips
