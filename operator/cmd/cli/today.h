#pragma once

#include <cstdint>
#include <string>

namespace lips::cmd {

// YYYY-MM-DD, UTC.
std::string today();
std::string utc_date(std::int64_t day);  // since 1970-01-01

}  // namespace lips::cmd
