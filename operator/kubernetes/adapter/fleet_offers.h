// Nodes that an autoscaler could launch: those that the configuration lists, or those that NodePools of Karpenter
// allow, with their prices and sizes from the sheets. Pure.
#pragma once

#include <string>
#include <vector>

#include "config/node_prices.h"
#include "config/operator_config.h"
#include "kubernetes/adapter/model_index.h"
#include "kubernetes/pods/node_cache.h"
#include "kubernetes/pods/node_pool.h"

namespace lips::kubernetes {

// Every type in every zone and of every capacity type; types that no sheet has are left out.
Offered listed_offers(const OperatorConfig::Fleet& fleet, const NodePrices& prices, const NodeCache& nodes);

// The offers of the pools that take part, the one with the greatest weight first: types, zones and capacity types that
// meet its requirements, within its limits. Of `nodes` only the zones count, of `fleet` only what a NodePool does not
// say.
std::vector<OfferEntry> pool_offers(const std::vector<NodePool>& pools, const NodeCache& nodes,
                                    const OperatorConfig::Fleet& fleet, const NodePrices& prices);
// The room that the limits of these pools leave beside their nodes.
LaunchLimits pool_limits(const std::vector<NodePool>& pools, const NodeCache& nodes, const NodePrices& prices);

// Pools that could launch nodes of which plans ask for none. Without a reason: plans ask for some.
std::vector<PoolProblem> pool_problems(const std::vector<NodePool>& pools, const NodeCache& nodes,
                                       const OperatorConfig::Fleet& fleet, const NodePrices& prices);

// Why the pool offers nothing although Karpenter may launch nodes of it: the key of a requirement or label that prices
// and names of types do not decide. Empty: there is none.
std::string undecided_key(const NodePool& pool);

}  // namespace lips::kubernetes
