#include "model/offered_nodes.h"

namespace lips {

IdVector<NodeId, bool> offered_only(const ClusterSnapshot& cluster) {
  IdVector<NodeId, bool> offered(cluster.nodes.size(), false);
  for (const Offer& offer : cluster.offers) offered[offer.like] = !cluster.nodes[offer.like].schedulable;
  for (const RunningTask& run : cluster.running) offered[run.node] = false;
  return offered;
}

}  // namespace lips
