// Tasks that a plan takes back (docs/policies.md, Tasks that are taken back): where a pool that allows it has waiting
// tasks and less than it is entitled to, and tasks of pools above theirs keep the room; and where running tasks of a
// pool keep the room from waiting ones of a higher priority. Knows no stages.
#pragma once

#include "model/entitlements.h"
#include "policies/lips/market/amounts.h"
#include "policies/policy.h"

namespace lips {

struct ReclaimScene {
  const PolicyInput& input;
  const PoolShares& shares;
  const SolvedMarket& market;               // its prices say where a task would rather wait than start
  const IdVector<NodeId, Resources>& free;  // that the plan leaves
};

// Tasks of the plan's pools wait for the room, ahead of all others that wait on these nodes. Starts of pools above
// their share are put off where that helps. False: the plan stays as it was.
bool take_back(const ReclaimScene& scene, Plan& plan);

}  // namespace lips
