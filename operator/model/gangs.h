// Jobs of peers of which so many tasks start together or none does.
#pragma once

#include <cstdint>
#include <map>

#include "model/plan.h"
#include "model/snapshot.h"

namespace lips {

// How many of its pending tasks have to start at once, for each pending job of which too few run or have ended.
std::map<WholeJobId, std::uint32_t> short_gangs(const ClusterSnapshot& cluster);

// Defers the tasks of jobs of which the plan starts too few. Such a plan costs less than it said, so nothing is
// certified of it any more.
void hold_back_parts_of_gangs(const ClusterSnapshot& cluster, Plan& plan);

}  // namespace lips
