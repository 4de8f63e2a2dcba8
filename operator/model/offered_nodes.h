// Nodes that only describe an offer. One that is there describes it too where offers are places for nodes, as in a
// simulation.
#pragma once

#include "model/snapshot.h"

namespace lips {

IdVector<NodeId, bool> offered_only(const ClusterSnapshot& cluster);

}  // namespace lips
