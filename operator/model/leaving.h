// Nodes that are about to go: an autoscaler or a termination handler has marked them.
#pragma once

#include "model/snapshot.h"

namespace lips {

// Karpenter, the cluster autoscaler, AWS's node termination handler, GKE and AKS say so by taints.
bool says_node_leaves(const Taint& taint);
bool is_leaving(const NodeProfile& profile);
// Whose data goes with their nodes.
IdVector<StoreId, bool> leaving_stores(const ClusterSnapshot& cluster);

}  // namespace lips
