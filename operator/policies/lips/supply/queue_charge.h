// The cost of a waiting CPU-second beyond its own wait. On a cluster with work rate C to which work arrives at rate
// a, a backlog of Q drains in Q / (C - a): whatever waits delays all that comes until then. So its wait counts
// C / (C - a) times.
#pragma once

#include "model/counted_work.h"
#include "model/snapshot.h"

namespace lips {

inline constexpr double most_queue_charge = 8;  // beyond it the load is too uncertain

// `work_rate`: CPU-seconds of work per second of all nodes. 1 where an autoscaler adds nodes, for nothing queues there.
// Expected work that counts is planned for by name (expected_room.h), so the rate leaves it out.
double queue_charge(const ClusterSnapshot& cluster, double work_rate, const CountedWork& expected = {});

}  // namespace lips
