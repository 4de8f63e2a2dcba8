// A progress line on a terminal while many records of a file are read. Prints nothing elsewhere.
#pragma once

#include <cstddef>
#include <functional>

namespace lips::cmd {

std::function<void(std::size_t done, std::size_t all)> reading_line(bool wanted);

}  // namespace lips::cmd
