// A plan in the making, as the stages of the default policy hand it on.
#pragma once

#include <optional>
#include <vector>

#include "model/counted_work.h"
#include "policies/lips/demand/homes.h"
#include "policies/lips/demand/waiting_weights.h"
#include "policies/lips/gangs/peers.h"
#include "policies/lips/market/amounts.h"
#include "policies/lips/placing/fast_path.h"
#include "policies/lips/placing/whole_tasks.h"
#include "policies/policy.h"

namespace lips {

// Refers to the input and the settings, which outlive it.
struct PlanDraft {
  const PolicyInput& input;
  const PolicySettings& settings;
  JobWeights weights;
  double waiting_price;  // once a decision: it looks at every node

  NodeClasses classes;
  IdVector<NodeId, Resources> free;
  PoolShares shares = {};
  PoolRoom pools = {};            // with all that is placed so far
  std::vector<bool> served = {};  // [job] placed early, outside of the program; empty: none
  PeersPlan gangs = {};
  FastPath small = {};
  Homes homes = {};
  Workload workload = {};
  Amounts amounts = {};
  WholeTasks whole = {};
  PeersPlan late_gangs = {};
  CountedWork expected = {};
  bool takes_back = false;  // tasks, or places others in the room of such tasks
  Plan plan = {};

  const ClusterSnapshot& cluster() const { return input.cluster; }
  const LipsSettings& lips() const { return settings.lips; }
  // An autoscaler launches nodes for what finds no room, so the plan asks for them.
  bool buys() const { return lips().billing == Billing::invoice && !cluster().offers.empty(); }
  double clock() const { return input.stopwatch ? input.stopwatch->seconds() : 0; }
};

}  // namespace lips
