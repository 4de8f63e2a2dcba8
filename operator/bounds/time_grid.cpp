#include "bounds/time_grid.h"

#include <algorithm>
#include <cmath>

namespace lips {

TimeGrid::TimeGrid(const RelaxedRun& run, Duration slot_length, Duration tail) : slot(to_seconds(slot_length)) {
  slots = static_cast<std::size_t>(std::ceil((run.last_arrival() + to_seconds(tail)) / slot)) + 1;
}

std::size_t TimeGrid::slot_of(double second) const { return std::min(slots, static_cast<std::size_t>(second / slot)); }

}  // namespace lips
