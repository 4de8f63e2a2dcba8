// How many tasks of a gang go to each zone at least cost, when they need not be in one. Internal to peers.cpp.
#pragma once

#include <vector>

#include "model/costs.h"
#include "policies/lips/gangs/gang.h"

namespace lips {

// The rooms of each zone: the prices of a CPU-second of the tasks that find room there, cheapest first.
using ZoneRooms = IdVector<ZoneId, std::vector<double>>;

// For all tasks of the gang, or as many as there is room for. Least cost where one price is that of every pair of
// zones; where prices differ, their mean decides.
IdVector<ZoneId, std::uint32_t> cheapest_zones(const Gang& gang, const ZoneRooms& rooms, const CostModel& costs);

}  // namespace lips
