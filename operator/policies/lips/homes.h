// A home zone for each job with shuffle, chosen once, by the zones' prices (planning, section 4b).
#pragma once

#include <vector>

#include "policies/lips/amounts.h"
#include "policies/lips/units.h"
#include "policies/policy.h"

namespace lips {

// [job] the home of each pending job that has none yet and gains by one; where `decided` is set the question has been asked.
struct Homes {
  std::vector<ZoneId> zone;  // empty when no job asks
  std::vector<JobId> decided;
};

// Jobs whose maps have not begun to be placed. `zone_price` is the price of a further CPU-second in each zone.
Homes choose_homes(const PolicyInput& input, const NodeClasses& classes, std::vector<double> zone_price, const std::vector<bool>& skip);
bool anyone_needs_a_home(const ClusterSnapshot& cluster, const std::vector<bool>& skip);

}  // namespace lips
