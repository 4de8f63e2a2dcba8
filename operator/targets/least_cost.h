// The least that a day's work can cost on these nodes, whatever the plans: what no price of waiting can go below.
#pragma once

#include "model/snapshot.h"
#include "policies/settings.h"

namespace lips {

// `work`: CPU-seconds in a day. By use: on the cheapest nodes first, each full all day. By invoice: fixed nodes all
// day, and elastic ones at the cheapest price of a full core for what the fixed ones cannot do.
Usd least_cost_of_day(const ClusterSnapshot& cluster, Billing billing, CpuSeconds work);

}  // namespace lips
