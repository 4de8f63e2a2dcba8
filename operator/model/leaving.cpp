#include "model/leaving.h"

#include <algorithm>
#include <iterator>

namespace lips {

bool says_node_leaves(const Taint& taint) {
  return std::find(std::begin(leaving_taints), std::end(leaving_taints), taint.key) != std::end(leaving_taints);
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
