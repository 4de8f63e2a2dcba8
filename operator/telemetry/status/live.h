// The script of the operator's page, live.js, which the build turns into a string.
#pragma once

#include <string_view>

namespace lips::page {

extern const std::string_view live;

}  // namespace lips::page
