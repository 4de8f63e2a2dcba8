// When a job's next degraded task is due: degraded tasks are spread evenly over the map phase.
#pragma once

#include <cstdint>

#include "policies/drafting/draft.h"

namespace lips {

struct MapProgress {
  std::uint32_t maps = 0, launched = 0;               // M, m
  std::uint32_t degraded = 0, degraded_launched = 0;  // Md, md

  // m / M >= md / Md (Algorithms 2 and 3)
  bool degraded_due() const { return std::uint64_t{launched} * degraded >= std::uint64_t{degraded_launched} * maps; }
};

// Launches in the snapshot and in the decision so far. Md grows when more of the job's blocks are lost.
MapProgress map_progress(const Draft& draft, JobId job);

}  // namespace lips
