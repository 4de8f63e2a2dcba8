// Nodes that only describe an offer. One that is there describes it too where offers are places for nodes, as in a
// simulation.
#pragma once

#include "model/snapshot.h"

namespace lips {

IdVector<NodeId, bool> offered_only(const ClusterSnapshot& cluster);
// These, and with `lists_absent` every elastic node that is not there: a simulated cluster lists all that it may
// launch.
IdVector<NodeId, bool> absent_nodes(const ClusterSnapshot& cluster, bool lists_absent);

}  // namespace lips
