// The room that each pool may use: weighted max-min fairness over dominant resources, with minimum and maximum.
// Source: Ghodsi et al., Dominant Resource Fairness, NSDI 2011. A pool's share is the part that it takes of the
// resource of which it takes most; shares rise together, each in proportion to its weight, until a resource is used up.
#pragma once

#include <vector>

#include "model/snapshot.h"

namespace lips {

// CPU (cores), memory (MiB), then extended resources by id.
using ResourceAmounts = std::vector<double>;
void add_amounts(ResourceAmounts& sum, const Resources& resources, double times);

struct PoolClaim {
  ResourceAmounts used;    // by tasks that are bound or run
  ResourceAmounts wanted;  // with all that pending tasks ask for
};

// Shares of the capacity of the pool's dominant resource, 0 to 1.
struct Entitlement {
  double share = 0;         // the pool may use so much
  ResourceAmounts amounts;  // of each resource, in the proportions in which the pool wants them
  double used = 0;
  double wanted = 0;  // at most its maximum
  // The pool wants more than it may use.
  bool limits() const { return share < wanted - 1e-9; }
};

// The largest part of a resource's capacity that the amounts take. A resource without capacity counts for nothing.
double dominant_share(const ResourceAmounts& amounts, const ResourceAmounts& capacity);

// The number of tasks of the request, in fractions, with which a pool that uses so much reaches its entitlement and
// `above` of the capacity in some resource that they take.
double tasks_until_share(const Entitlement& pool, const ResourceAmounts& used, const Resources& request,
                         const ResourceAmounts& capacity, double above = 0);

// No pool gets more than it wants or its maximum. Minima are met first; where they do not fit, each in proportion.
IdVector<PoolId, Entitlement> entitlements(const IdVector<PoolId, Pool>& pools,
                                           const IdVector<PoolId, PoolClaim>& claims, const ResourceAmounts& capacity);

// All claims on a cluster, and what each pool may use of it.
struct PoolShares {
  ResourceAmounts capacity;  // of nodes that take tasks or could be launched, without what others hold
  IdVector<PoolId, PoolClaim> claims;
  IdVector<PoolId, Entitlement> of;

  // Some pool may use less than it wants because of others. One pool alone shares with nobody.
  bool contended() const;
};
PoolShares share_out(const ClusterSnapshot& cluster);

// The shares with so much in use: pools that are below what they may use gave way, and the others share out what such
// pools leave.
PoolShares lend(const ClusterSnapshot& cluster, PoolShares shares, const IdVector<PoolId, ResourceAmounts>& used);

}  // namespace lips
