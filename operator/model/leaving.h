// Nodes that are about to go: an autoscaler, a cloud or a termination handler has marked them.
#pragma once

#include "model/snapshot.h"

namespace lips {

// An adapter's own, for a node that says so by anything but a taint; the value is what says it.
inline constexpr const char* leaving_taint = "lips.dev/leaving";
// docs/data-resources.md says whose they are.
inline constexpr const char* leaving_taints[] = {
    leaving_taint,
    "karpenter.sh/disrupted",
    "karpenter.sh/disruption",  // before Karpenter 1.0
    "ToBeDeletedByClusterAutoscaler",
    "aws-node-termination-handler/spot-itn",
    "aws-node-termination-handler/scheduled-maintenance",
    "aws-node-termination-handler/asg-lifecycle-termination",
    "aws-node-termination-handler/rebalance-recommendation",
    "cloud.google.com/impending-node-termination",
    "remediator.kubernetes.azure.com/unschedulable",
    "remediator.aks.microsoft.com/unschedulable",  // its name before
    "cloudprovider.azure.microsoft.com/draining",
    "aks-node-termination-handler/preempt",
};

bool says_node_leaves(const Taint& taint);
// Takes no new task, whatever the task tolerates.
bool is_leaving(const NodeProfile& profile);
// Whose data goes with their nodes.
IdVector<StoreId, bool> leaving_stores(const ClusterSnapshot& cluster);

}  // namespace lips
