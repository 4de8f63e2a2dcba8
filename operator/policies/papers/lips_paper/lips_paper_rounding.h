// From shares of a part to whole tasks. Pure arithmetic; knows no task, node or price.
#pragma once

#include <cstdint>
#include <vector>

namespace lips::paper {

// Whole numbers that add up to `tasks`, by largest remainder, ties to the earlier share. The shares add up to 1; the
// last one is what waits. A positive number below `least` is rounded up to it (LiPS section IV, minimum task size) at
// the cost of the next smallest ones and at last of what waits, unless there are not that many tasks.
std::vector<std::uint32_t> round_shares(const std::vector<double>& shares, std::uint32_t tasks,
                                        std::uint32_t least = 1);

}  // namespace lips::paper
