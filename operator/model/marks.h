// Tasks that autoscalers do not evict, because they were marked: their nodes stay, with what is empty on them. Pools
// pay for that room (unpaid_room.h).
#pragma once

#include <map>
#include <vector>

#include "model/held_room.h"
#include "model/snapshot.h"

namespace lips {

// The cores that marked tasks on elastic nodes request, by node.
std::map<NodeId, double> marked_cores(const ClusterSnapshot& cluster);

// The empty room of elastic nodes with marked tasks, by job and zone. On a node the marked tasks share it by the cores
// that they request.
std::vector<HeldRoom> room_beside_marked(const ClusterSnapshot& cluster);

}  // namespace lips
