#include "model/offered_nodes.h"

namespace lips {

IdVector<NodeId, bool> offered_only(const ClusterSnapshot& cluster) { return absent_nodes(cluster, false); }

IdVector<NodeId, bool> absent_nodes(const ClusterSnapshot& cluster, bool lists_absent) {
  IdVector<NodeId, bool> absent(cluster.nodes.size(), false);
  for (const Offer& offer : cluster.offers) absent[offer.like] = !cluster.nodes[offer.like].schedulable;
  if (lists_absent)
    for (const NodeId id : cluster.nodes.ids())
      absent[id] = cluster.nodes[id].fleet == FleetKind::elastic && !cluster.nodes[id].schedulable;
  for (const RunningTask& run : cluster.running) absent[run.node] = false;
  return absent;
}

}  // namespace lips
