#include "model/entitlements.h"

#include <algorithm>
#include <limits>
#include <set>

#include "model/launch_room.h"

namespace lips {

namespace {

constexpr int halvings = 60;  // of an interval of shares
constexpr double rounding = 1e-9;

// Shares of pools as a common level rises: each has the level times its weight, within its bounds.
class WaterFilling {
 public:
  WaterFilling(const IdVector<PoolId, Pool>& pools, const IdVector<PoolId, PoolClaim>& claims,
               const ResourceAmounts& capacity)
      : resources_(capacity.size()), capacity_(capacity) {
    for (const PoolId id : pools.ids()) add(pools[id], claims[id].wanted, capacity);
  }

  void run(IdVector<PoolId, Entitlement>& result) {
    if (!fits(top())) {
      if (!fits(0)) lower_minima();
      raise();
    }
    const double level = top();
    for (const PoolId id : result.ids()) {
      const Filling& pool = pools_[id.index()];
      result[id].share = share(pool, level);
      result[id].wanted = pool.most;
      for (std::size_t r = 0; r < resources_; ++r)
        result[id].amounts.push_back(result[id].share * pool.of_share[r] * capacity_[r]);
    }
  }

 private:
  struct Filling {
    double weight = 1, least = 0, most = 0;
    ResourceAmounts of_share;  // part of each resource that a share of 1 takes
    bool frozen = false;
    double share = 0;  // of a frozen one
  };

  void add(const Pool& pool, const ResourceAmounts& wanted, const ResourceAmounts& capacity) {
    Filling filling;
    filling.weight = std::max(1e-9, pool.weight);
    const double all = dominant_share(wanted, capacity), cores = wanted.front();
    const auto part = [&](Cores limit) { return cores > 0 ? std::min(1.0, limit.value() / cores) : 1.0; };
    filling.most = pool.maximum.value() > 0 ? all * part(pool.maximum) : all;
    filling.least = pool.minimum.value() > 0 ? std::min(filling.most, all * part(pool.minimum)) : 0;
    filling.of_share.assign(resources_, 0.0);
    for (std::size_t r = 0; r < resources_; ++r)
      if (all > 0 && capacity[r] > 0) filling.of_share[r] = wanted[r] / capacity[r] / all;
    pools_.push_back(std::move(filling));
  }

  double share(const Filling& pool, double level) const {
    return pool.frozen ? pool.share : std::clamp(level * pool.weight, pool.least, pool.most);
  }
  // The level at which each pool has all that it wants.
  double top() const {
    double level = 0;
    for (const Filling& pool : pools_)
      if (!pool.frozen) level = std::max(level, pool.most / pool.weight);
    return level;
  }
  ResourceAmounts taken(double level) const {
    ResourceAmounts sum(resources_, 0.0);
    for (const Filling& pool : pools_)
      for (std::size_t r = 0; r < resources_; ++r) sum[r] += share(pool, level) * pool.of_share[r];
    return sum;
  }
  bool fits(double level) const {
    const ResourceAmounts sum = taken(level);
    return std::all_of(sum.begin(), sum.end(), [](double part) { return part <= 1 + 1e-12; });
  }

  void lower_minima() {
    const std::vector<Filling> as_set = pools_;
    const auto set = [&](double part) {
      for (std::size_t i = 0; i < pools_.size(); ++i) pools_[i].least = part * as_set[i].least;
    };
    double low = 0, high = 1;
    for (int i = 0; i < halvings; ++i) {
      const double middle = (low + high) / 2;
      set(middle);
      (fits(0) ? low : high) = middle;
    }
    set(low);
  }

  // Raises the level until a resource is used up, freezes the pools that take some of it, and goes on with the others.
  void raise() {
    for (std::size_t round = 0; round < resources_ && !fits(top()); ++round) {
      double low = 0, high = top();
      for (int i = 0; i < halvings; ++i) {
        const double middle = (low + high) / 2;
        (fits(middle) ? low : high) = middle;
      }
      const ResourceAmounts sum = taken(low);
      for (Filling& pool : pools_) {
        const double own = share(pool, low);
        for (std::size_t r = 0; r < resources_; ++r)
          if (!pool.frozen && sum[r] >= 1 - rounding && pool.of_share[r] > 0) pool.frozen = true, pool.share = own;
      }
    }
  }

  std::size_t resources_;
  const ResourceAmounts& capacity_;
  std::vector<Filling> pools_;
};

}  // namespace

void add_amounts(ResourceAmounts& sum, const Resources& resources, double times) {
  sum[0] += times * resources.cpu.value();
  sum[1] += times * resources.memory.value();
  for (const auto& [id, amount] : resources.extended)
    if (2 + id.index() < sum.size()) sum[2 + id.index()] += times * amount;
}

double dominant_share(const ResourceAmounts& amounts, const ResourceAmounts& capacity) {
  double share = 0;
  for (std::size_t r = 0; r < amounts.size(); ++r)
    if (capacity[r] > 0) share = std::max(share, amounts[r] / capacity[r]);
  return share;
}

double tasks_until_share(const Entitlement& pool, const ResourceAmounts& used, const Resources& request,
                         const ResourceAmounts& capacity, double above) {
  double tasks = std::numeric_limits<double>::infinity();
  const auto count = [&](std::size_t r, double each) {
    if (each > 0 && capacity[r] > 0) tasks = std::min(tasks, (pool.amounts[r] + above * capacity[r] - used[r]) / each);
  };
  count(0, request.cpu.value());
  count(1, request.memory.value());
  for (const auto& [resource, amount] : request.extended)
    if (2 + resource.index() < capacity.size()) count(2 + resource.index(), amount);
  return tasks;
}

IdVector<PoolId, Entitlement> entitlements(const IdVector<PoolId, Pool>& pools,
                                           const IdVector<PoolId, PoolClaim>& claims, const ResourceAmounts& capacity) {
  IdVector<PoolId, Entitlement> result(pools.size());
  for (const PoolId id : pools.ids()) result[id].used = dominant_share(claims[id].used, capacity);
  WaterFilling(pools, claims, capacity).run(result);
  return result;
}

namespace {

ResourceAmounts capacity_for_pools(const ClusterSnapshot& cluster) {
  ResourceAmounts sum(2 + cluster.extended_names.size(), 0.0);
  for (const Node& node : cluster.nodes)
    if (node.schedulable) add_amounts(sum, node.capacity - node.others, 1);
  LaunchRoom room(cluster);
  for (const OfferId offer : cluster.offers.ids()) {
    const std::uint32_t nodes = room.nodes(offer);
    room.take(offer, nodes);
    add_amounts(sum, cluster.nodes[cluster.offers[offer].like].capacity, nodes);
  }
  for (double& amount : sum) amount = std::max(0.0, amount);
  return sum;
}

IdVector<PoolId, PoolClaim> pool_claims(const ClusterSnapshot& cluster) {
  const ResourceAmounts none(2 + cluster.extended_names.size(), 0.0);
  IdVector<PoolId, PoolClaim> claims(cluster.pools.size(), PoolClaim{none, none});
  std::set<WholeJobId> counted;
  const auto count_to_come = [&](const Job& job) {
    if (!job.whole.peers || job.whole.expected <= job.whole.arrivals || !counted.insert(job.whole.id).second) return;
    add_amounts(claims[job.pool].wanted, job.whole.each, job.whole.expected - job.whole.arrivals);
  };
  for (const RunningTask& run : cluster.running) {
    const Job& job = cluster.jobs[run.job];
    add_amounts(claims[job.pool].used, job.request, 1);
    add_amounts(claims[job.pool].wanted, job.request, 1);
    count_to_come(job);
  }
  for (const JobId id : cluster.pending) {
    const Job& job = cluster.jobs[id];
    add_amounts(claims[job.pool].wanted, job.request, job.pending);
    count_to_come(job);
  }
  return claims;
}

}  // namespace

bool PoolShares::contended() const {
  const auto asks = std::count_if(of.begin(), of.end(), [](const Entitlement& pool) { return pool.wanted > 0; });
  return asks > 1 && std::any_of(of.begin(), of.end(), [](const Entitlement& pool) { return pool.limits(); });
}

PoolShares share_out(const ClusterSnapshot& cluster) {
  PoolShares shares{capacity_for_pools(cluster), pool_claims(cluster), {}};
  shares.of = entitlements(cluster.pools, shares.claims, shares.capacity);
  return shares;
}

PoolShares lend(const ClusterSnapshot& cluster, PoolShares shares, const IdVector<PoolId, ResourceAmounts>& used) {
  for (const PoolId pool : used.ids()) {
    PoolClaim& claim = shares.claims[pool];
    claim.used = used[pool];
    for (std::size_t r = 0; r < claim.used.size(); ++r)
      if (claim.used[r] < shares.of[pool].amounts[r] - rounding * shares.capacity[r]) claim.wanted = claim.used;
  }
  shares.of = entitlements(cluster.pools, shares.claims, shares.capacity);
  return shares;
}

}  // namespace lips
