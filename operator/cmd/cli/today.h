#pragma once

#include <cstdint>
#include <string>

namespace lips::cmd {

// YYYY-MM-DD, UTC.
std::string today();
// The day of a cluster's clock, since 1970-01-01, is a date in UTC. Scenarios without dates begin at 0: "day 1", "day 2".
std::string name_of_day(std::int64_t day);

}  // namespace lips::cmd
