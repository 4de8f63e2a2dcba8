// The work that is expected and on which a plan counts: within what its pool is entitled to where pools compete, and
// nothing of a pool that owes more for held room than its budget (unpaid_room.h).
#pragma once

#include <vector>

#include "model/snapshot.h"

namespace lips {

struct CountedWork {
  Duration reach{0};
  std::vector<double> chances;  // by expected work; 0: nobody counts on it

  // CPU-seconds of that expected work.
  double work(const ClusterSnapshot& cluster, std::size_t expected) const {
    return chances[expected] * cluster.expected[expected].work.value();
  }
};

// Work that is expected within `reach`. A pool's running tasks, pending tasks and expected work claim their mean cores
// over that time, and each pool's expected work counts up to its share of them. Work of one pool alone, and of no known
// pool, counts by its chance.
CountedWork count_on(const ClusterSnapshot& cluster, Duration reach, Duration budget);

}  // namespace lips
