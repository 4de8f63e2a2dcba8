#pragma once

#include <string>

namespace lips::cmd {

std::string today();  // YYYY-MM-DD, UTC

}  // namespace lips::cmd
