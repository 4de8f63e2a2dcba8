// Dollars that a task costs by zone beside its CPU: reads, shuffle, and the home of its job.
#pragma once

#include "policies/lips/demand/shared_data.h"
#include "policies/lips/market/workload.h"
#include "policies/lips/prices/read_prices.h"

namespace lips {

// USD that a map of the job away from its home pays later for sending its output there (docs/shuffle.md: sigma).
double home_cost(const CostModel& costs, const Job& job, const TaskGroup& group, ZoneId home, ZoneId zone);

// USD by zone of one task of the group besides its CPU, when its job's home is `home` (or none).
void non_cpu_costs(const ClusterSnapshot& cluster, ReadPrices& reads, const Job& job, const TaskGroup& group,
                   ZoneId home, ByZone& usd);

// Discounts the share of other pending readers in a copy that stays: the read costs transfer / (1 + min(E, 2)).
// Returns E, the other pending jobs' unread share of the group's data set.
double discount_shared_copy(ReadPrices& reads, const OtherReaders& readers, JobId job, const TaskGroup& group,
                            ByZone& usd);

}  // namespace lips
