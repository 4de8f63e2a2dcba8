#include "model/leaving.h"

#include <algorithm>
#include <string_view>

namespace lips {

bool says_node_leaves(const Taint& taint) {
  static constexpr std::string_view marks[] = {
      "karpenter.sh/disrupted",
      "karpenter.sh/disruption",  // before Karpenter 1.0
      "ToBeDeletedByClusterAutoscaler",
      "aws-node-termination-handler/spot-itn",
      "aws-node-termination-handler/scheduled-maintenance",
      "aws-node-termination-handler/asg-lifecycle-termination",
      "aws-node-termination-handler/rebalance-recommendation",
      "cloud.google.com/impending-node-termination",
      "remediator.aks.microsoft.com/unschedulable",
  };
  return std::find(std::begin(marks), std::end(marks), taint.key) != std::end(marks);
}

bool is_leaving(const NodeProfile& profile) {
  return std::any_of(profile.taints.begin(), profile.taints.end(), says_node_leaves);
}

IdVector<StoreId, bool> leaving_stores(const ClusterSnapshot& cluster) {
  IdVector<StoreId, bool> leaving(cluster.stores.size(), false);
  for (const StoreId store : cluster.stores.ids())
    if (const NodeId node = cluster.stores[store].node; node.valid())
      leaving[store] = is_leaving(cluster.profiles[cluster.nodes[node].profile]);
  return leaving;
}

}  // namespace lips
