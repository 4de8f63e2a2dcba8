// Room left to each pool in a plan, as tasks take and release it over time: cores under its maximum, and what it is
// entitled to where pools compete.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "model/entitlements.h"
#include "policies/lips/market/requests.h"

namespace lips {

class PoolRoom {
 public:
  static constexpr double no_limit = 1e300;

  PoolRoom() = default;
  // Maxima alone.
  PoolRoom(const ClusterSnapshot& cluster, const IdVector<PoolId, Cores>& in_use);
  // Also entitlements, where pools compete.
  PoolRoom(const ClusterSnapshot& cluster, const PoolShares& shares);

  // The number of further tasks of this request that the pool may start.
  double tasks(PoolId id, const Resources& request) const {
    const double most = tasks_below_maximum(id, request);
    return shares_.empty() ? most : std::min(most, tasks_within_share(id, request));
  }
  // The number for which room may stay empty: all of it within the share, also where its last task may reach beyond.
  double tasks_to_come(PoolId id, const Resources& request) const;
  double tasks_below_maximum(PoolId id, const Resources& request) const {
    const Pool& pool = pools_[id];
    return pool.most < no_limit ? std::floor((pool.most - pool.used + 1e-7) / cores_of(request)) : no_limit;
  }
  // So many small tasks may start before all others: within the pool's share and a little above it.
  bool express(PoolId id, const Resources& request, double tasks) const;
  // It has less than it is entitled to of all that such a task takes.
  bool is_below_share(PoolId id, const Resources& request) const;
  bool compete() const { return !shares_.empty(); }
  // It wants more than it is entitled to.
  bool is_limited(PoolId id) const { return !shares_.empty() && shares_[id].of.limits(); }
  Cores in_use(PoolId id) const { return Cores(pools_[id].used); }

  void take(PoolId pool, const Resources& request, double count);
  // Room that stays empty for tasks of the pool to come counts as its share; its maximum counts tasks.
  void hold(PoolId pool, const Resources& request, double count);
  // `request` outlives this.
  void release(PoolId pool, const Resources& request, double count, double at);
  // Time runs forward: releases what tasks held that have ended by now.
  void advance(double now);
  // Counts the tasks of the pool that have ended: until it changes, a pool without room for a task stays so.
  std::uint64_t ended(PoolId id) const { return pools_[id].ended; }
  // From here on times are not in order: only cores that were never used are left.
  void stay_at_peak();

  // Pools use as much as before, and are entitled to these shares. Without entitlements only maxima are left.
  enum class Last : std::uint8_t {
    fits,    // into what the pool is entitled to
    reaches  // the pool may start its last task while it is below, however large
  };
  void set_shares(const PoolShares& shares, Last last);
  // The pool starts nothing more until its shares are set again.
  void close(PoolId id) { shares_[id].closed = true; }
  // The part of its entitlement that the pool uses.
  double part_of_share(PoolId id) const;
  void lift_shares() { shares_ = {}; }
  // The amounts that every pool uses, for `lend`. Only where pools compete.
  const IdVector<PoolId, ResourceAmounts>& used() const { return amounts_; }

 private:
  struct Pool {
    double most = 0, used = 0, peak = 0;
    std::uint64_t ended = 0;
  };
  struct Release {
    double at = 0;
    PoolId pool;
    const Resources* request = nullptr;
    double count = 0;
    bool operator>(const Release& other) const { return at != other.at ? at > other.at : pool > other.pool; }
  };

  struct Share {
    Entitlement of;
    bool closed = false;
  };

  // The number with which the pool reaches its entitlement in some resource.
  double until_share(PoolId id, const Resources& request, double above = 0) const;
  double tasks_within_share(PoolId id, const Resources& request) const;

  IdVector<PoolId, Pool> pools_;
  std::priority_queue<Release, std::vector<Release>, std::greater<>> releases_;
  Last last_ = Last::fits;
  IdVector<PoolId, Share> shares_;             // empty: pools do not compete
  IdVector<PoolId, ResourceAmounts> amounts_;  // in use, where pools compete
  ResourceAmounts capacity_;
};

}  // namespace lips
